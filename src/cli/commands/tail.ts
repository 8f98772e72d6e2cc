import { once } from 'node:events'
import { Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { parseList } from '../options.ts'
import { accountOption, keyOption, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { findServerCheck } from '../remote/server-check.ts'
import { followResults } from '../tail/follow-results.ts'
import { type LiveResult, resultLine } from '../tail/result-line.ts'
import { paintFor } from '../terminal/paint.ts'
import { untilInterrupted } from '../terminal/until-interrupted.ts'

type TailOptions = RemoteOptions & {
  readonly tag?: readonly string[]
  readonly location?: string
  readonly failures?: true
  readonly format: 'text' | 'json'
}

export function tailCommand(context: Context): Command {
  return new Command('tail')
    .description('Follow results as a running server stores them, until Ctrl+C. Reconnects without losing results.')
    .argument('[check]', 'its id or name; without it: all checks, or those of --tag')
    .option('-t, --tag <list>', 'those with any of these tags', parseList)
    .option('--location <name>', 'only results of this location')
    .option('--failures', 'only results that failed')
    .addOption(new Option('--format <format>', 'print each result as a line of text or JSON').choices(['text', 'json']).default('text'))
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .action((check: string | undefined, options: TailOptions) => untilInterrupted((signal) => tail(context, check, options, signal)))
}

async function tail(
  { stdout, stderr }: Context,
  idOrName: string | undefined,
  { tag = [], location, failures, format, url, ...credentials }: TailOptions,
  signal: AbortSignal,
): Promise<void> {
  const remote = remoteOf(url, credentials)
  const parameters = new URLSearchParams()
  if (idOrName !== undefined) parameters.set('checkId', (await findServerCheck(remote, idOrName)).id)
  if (tag.length > 0) parameters.set('tag', tag.join(','))
  if (location !== undefined) parameters.set('location', location)
  if (failures) parameters.set('hasFailures', 'true')
  const paint = paintFor(stdout)
  const onTrouble = (message: string) => void stderr.write(`${message}\n`)
  for await (const data of followResults({ remote, parameters, signal, onTrouble })) {
    const hasRoom = stdout.write(`${format === 'json' ? data : resultLine(JSON.parse(data) as LiveResult, paint)}\n`)
    if (!hasRoom) await once(stdout, 'drain', { signal }).catch(() => {})
  }
}
