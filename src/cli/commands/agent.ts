import closeWithGrace from 'close-with-grace'
import { Command, InvalidArgumentError } from 'commander'
import { isAgentName } from '../../locations/agent-name.ts'
import type { AgentCommandOptions } from '../agent/agent-process.ts'
import type { Context } from '../context.ts'

export function agentCommand(context: Context): Command {
  return new Command('agent')
    .description('Run the checks of one location here, and send their results to a server. Opens no port.')
    .requiredOption('-s, --server <url>', 'the address of the server', parseUrl)
    .requiredOption('-k, --key-file <file>', 'a file with a key of the scope agent:LOCATION')
    .requiredOption('-l, --location <name>', 'the location of this agent')
    .option('-n, --name <name>', 'what people call this agent; default: the name of this machine', parseName)
    .option('-d, --data <folder>', 'where results wait until they are delivered', './agent-data')
    .option('--scripts <folder>', 'run the scripts of this folder, in place of those that the server sends')
    .option('--concurrency <runs>', 'how many runs may be in progress; default: by cores and memory', parseRuns)
    .option('--once <check>', 'run one check of the location now, by its id or name, and show everything about it; nothing is stored')
    .option('--json', 'with --once: print only the result as it would be stored')
    .option('--ca <file>', 'a CA to trust in addition to those that Node knows, in PEM format')
    .option('--cert <file>', 'a client certificate for the server, in PEM format')
    .option('--cert-key <file>', 'the private key of the client certificate, in PEM format')
    .addHelpText(
      'after',
      '\nHTTPS_PROXY, HTTP_PROXY and NO_PROXY are respected. Exit status 2: the server refuses this agent, and says why.',
    )
    .action(async (options: AgentCommandOptions) => {
      const { runOnce, startAgentProcess } = await import('../agent/agent-process.ts')
      if (options.once !== undefined) return runOnce(context, options.once, options)
      const agent = await startAgentProcess(context, options)
      closeWithGrace({ delay: 25_000, logger: false }, async ({ err }) => {
        if (err) context.stderr.write(`${err.stack}\n`)
        await agent.close()
      })
      context.stdout.write(`Tidemark agent ${agent.instance} runs at ${options.location}\n`)
    })
}

function parseUrl(text: string): URL {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It must be a URL such as https://tidemark.example.com.')
  return new URL(text)
}

function parseName(text: string): string {
  if (!isAgentName(text)) throw new InvalidArgumentError('It must have 1 to 128 characters in one line.')
  return text
}

function parseRuns(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 9999.')
  return Number(text)
}
