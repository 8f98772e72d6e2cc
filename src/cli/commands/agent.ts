import closeWithGrace from 'close-with-grace'
import { Command, InvalidArgumentError } from 'commander'
import { isAgentName } from '../../locations/agent-name.ts'
import type { AgentCommandOptions } from '../agent/agent-process.ts'
import type { Context } from '../context.ts'

export function agentCommand(context: Context): Command {
  return new Command('agent')
    .description('Run the checks of one location here, and send their results to a server. Opens no port.')
    .requiredOption('-s, --server <url>', 'the address of the server', parseUrl)
    .requiredOption('-k, --key-file <file>', 'a file with an API key that has the scope agent:LOCATION')
    .requiredOption('-l, --location <name>', 'the location of this agent')
    .option('-n, --name <name>', 'display name of this agent; default: the host name', parseName)
    .option('-d, --data <folder>', 'folder for results that are not delivered yet', './agent-data')
    .option('--scripts <folder>', 'run scripts from this folder instead of those from the server')
    .option('--concurrency <runs>', 'maximum number of concurrent runs; default: by cores and memory', parseRuns)
    .option('--once <check>', 'run one check of the location now, by id or name, and show all details; stores nothing')
    .option('--json', 'with --once: print only the result as it would be stored')
    .option('--ca <file>', 'an additional CA to trust, in PEM format')
    .option('--cert <file>', 'a client certificate for the server, in PEM format')
    .option('--cert-key <file>', 'the private key of the client certificate, in PEM format')
    .addHelpText('after', '\nHTTPS_PROXY, HTTP_PROXY and NO_PROXY are respected. Exit status 2: the server rejects this agent.')
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
