import { Command, Option } from 'commander'
import type { ReplayedMessage } from '../../alerts/replay/replay.ts'
import type { Edge } from '../../analytics/resolve-window.ts'
import { edgeInstant } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { shortened } from '../../text/shortened.ts'
import { withoutControls } from '../../text/without-controls.ts'
import { dayMs, isoText } from '../../time.ts'
import { CommandFailure, type Context } from '../context.ts'
import { configOption, dataOption, parseList, timeParser } from '../options.ts'
import { ask, asTyped } from '../remote/api-client.ts'
import { accountOption, keyOption, type Remote, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { findServerCheck } from '../remote/server-check.ts'
import { alertTable, explanationText, type ListedAlert, type ListedSilence, silenceTable } from '../terminal/alert-format.ts'

type Formatted = RemoteOptions & { readonly format: 'table' | 'json' }
type ListOptions = Formatted & {
  readonly state?: 'open' | 'closed'
  readonly check?: string
  readonly from?: number | { readonly date: string }
  readonly to?: number | { readonly date: string }
  readonly limit: string
}
type SilenceOptions = RemoteOptions & {
  readonly for: string
  readonly check?: readonly string[]
  readonly tag?: readonly string[]
  readonly all?: true
  readonly comment?: string
}

/** Commands that read or change the alerts of a running server. */
export function alertCommand(context: Context): Command {
  const command = new Command('alert').description('Read, acknowledge and silence the alerts of a running server, and test its channels.')
  const sub = (name: string, description: string) =>
    command
      .command(name)
      .description(description)
      .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
      .addOption(keyOption(context))
      .addOption(accountOption(context))
  const format = () => new Option('--format <format>', 'the output').choices(['table', 'json']).default('table')
  sub('list', 'List alerts, newest first, with the notified channels.')
    .addOption(new Option('--state <state>', 'only open or only closed alerts').choices(['open', 'closed']))
    .option('--check <id>', 'only alerts for this check')
    .option('--from <time>', 'open at or after this time; default: a day ago', timeParser(context))
    .option('--to <time>', 'open before this time; default: now', timeParser(context))
    .option('--limit <number>', 'maximum number, up to 100', '20')
    .addOption(format())
    .action((options: ListOptions) => list(context, options))
  sub('ack', 'Acknowledge an alert: stop its later steps and reminders. Requires the scope operate.')
    .argument('<id>', 'the id of the alert, or a unique prefix')
    .action((id: string, options: RemoteOptions) => acknowledge(context, id, options))
  sub('silence', 'Silence alerts for some checks for a time. Requires the scope operate.')
    .requiredOption('--for <duration>', 'duration, such as 2h; at most 90d')
    .option('--check <ids>', 'checks with these ids', parseList)
    .option('--tag <tags>', 'checks with any of these tags', parseList)
    .option('--all', 'everything')
    .option('--comment <text>', 'why')
    .action((options: SilenceOptions) => silence(context, options))
  sub('silences', 'List active and future silences.')
    .addOption(format())
    .action((options: Formatted) => silences(context, options))
  sub('unsilence', 'End a silence. Requires the scope operate.')
    .argument('<id>', 'the id of the silence, or a unique prefix')
    .action((id: string, options: RemoteOptions) => unsilence(context, id, options))
  sub('test', 'Send a test message to a channel. Exit status 1 if it is not delivered. Requires the scope operate.')
    .argument('<channel>', 'its id in the config file')
    .action((channel: string, options: RemoteOptions) => test(context, channel, options))
  sub('explain', 'Explain why each rule would or would not alert for a check now.')
    .argument('<check>', 'its id or name')
    .addOption(format())
    .action((check: string, options: Formatted) => explain(context, check, options))
  command
    .command('replay')
    .description('List messages that the rules of a config file would have sent. Reads the data folder.')
    .option('--from <time>', 'the start of the window; default: 30 days ago', timeParser(context))
    .option('--to <time>', 'the end of the window; default: now', timeParser(context))
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .addOption(accountOption(context))
    .addOption(format())
    .action((options: ReplayOptions) => replay(context, options))
  return command
}

type ReplayOptions = {
  readonly from?: Edge
  readonly to?: Edge
  readonly config: string
  readonly data: string
  readonly account?: string
  readonly format: 'table' | 'json'
}

/** Prints each message as soon as it is known, because a long window takes a while. */
async function replay(context: Context, { from, to, format, ...source }: ReplayOptions): Promise<void> {
  const now = context.now()
  const { replayFolder } = await import('../alert-replay.ts')
  const window = {
    from: from === undefined ? now - 30 * dayMs : edgeInstant(from, 'from', utc),
    to: to === undefined ? now : Math.min(now, edgeInstant(to, 'to', utc)),
  }
  let count = 0
  const { replayedEntry } = await import('../../alerts/replay/replay-report.ts')
  const { messages, notes } = await replayFolder(context, { ...source, window })
  for await (const replayed of messages) {
    count++
    context.stdout.write(format === 'json' ? `${JSON.stringify(replayedEntry(replayed))}\n` : replayedLine(replayed))
  }
  if (format === 'table')
    context.stdout.write(`${count === 1 ? '1 message' : `${count} messages`} from ${isoText(window.from)} to ${isoText(window.to)}\n`)
  for (const note of notes) context.stderr.write(`${note}\n`)
}

function replayedLine({ at, channel, message }: ReplayedMessage): string {
  const [subject] = message.subjects
  const reason = subject?.reason ? `: ${shortened(subject.reason, 100)}` : ''
  return `${isoText(at)}  ${channel}  ${message.event}  ${withoutControls(message.title + reason)}\n`
}

async function list(
  { stdout, stderr }: Context,
  { state, check: checkId, from, to, limit, format, ...options }: ListOptions,
): Promise<void> {
  const window = { from: edgeText(from), to: edgeText(to) }
  const query = asTyped<{ state?: 'open' | 'closed'; limit?: number }>({ state, checkId, limit, ...window })
  const { data } = await ask(remoteOf(options.url, options), (client) => client.GET('/v1/alerts', { params: { query } }))
  stdout.write(format === 'json' ? json(data) : alertTable(data.alerts as readonly ListedAlert[], stdout.columns))
  if (data.pagination.next !== null) stderr.write(moreAlerts)
}

const moreAlerts = 'There are more alerts than shown: use a shorter time, --check, --state or a higher --limit, up to 100.\n'

const edgeText = (edge: ListOptions['from']) => (typeof edge === 'number' ? isoText(edge) : edge?.date)
const json = (data: unknown) => `${JSON.stringify(data, null, 2)}\n`

async function acknowledge({ stdout }: Context, start: string, options: RemoteOptions): Promise<void> {
  const remote = remoteOf(options.url, options)
  const id = isWhole(start) ? start : await openAlertId(remote, start)
  const { data } = await ask(remote, (client) => client.POST('/v1/alerts/{id}/acknowledge', { params: { path: { id } } }))
  const { title, acknowledged, closedAt } = data
  if (acknowledged) stdout.write(`${title}: acknowledged by ${acknowledged.by} at ${acknowledged.at}.\n`)
  else stdout.write(`${title}: already closed at ${closedAt}.\n`)
}

const isWhole = (id: string) => id.length >= 36

async function openAlertId(remote: Remote, start: string): Promise<string> {
  const open = await ask(remote, async (client) => {
    const found: { readonly id: string }[] = []
    for await (const { alerts } of client.pages('/v1/alerts', { params: { query: { state: 'open' } } })) found.push(...alerts)
    return found
  })
  return theOne(open, start, 'open alert', 'tidemark alert list --state open')
}

/** The id with this prefix. Fails if no id or several ids have it. */
function theOne(all: readonly { readonly id: string }[], start: string, what: string, howToList: string): string {
  const [only, ...others] = all.map(({ id }) => id).filter((id) => id.startsWith(start))
  if (only === undefined) throw new CommandFailure(`No ${what} has an id that starts with ${start}. List them with: ${howToList}.`)
  if (others.length > 0) throw new CommandFailure(`Several ids start with ${start}: ${[only, ...others].slice(0, 5).join(', ')}.`)
  return only
}

async function silence({ stdout }: Context, options: SilenceOptions): Promise<void> {
  const { for: duration, check: checks = [], tag: tags = [], all, comment } = options
  const isSelected = checks.length > 0 || tags.length > 0
  if (isSelected === (all === true)) throw new CommandFailure('Specify what to silence: --check, --tag or both; or --all alone.')
  const body = { checks: [...checks], tags: [...tags], duration, ...(comment !== undefined && { comment }) }
  const { data } = await ask(remoteOf(options.url, options), (client) => client.POST('/v1/silences', { body }))
  stdout.write(`Silence ${data.id} until ${data.to}. End it early with: tidemark alert unsilence ${data.id.slice(0, 8)}\n`)
}

async function silences({ stdout, stderr }: Context, { format, ...options }: Formatted): Promise<void> {
  const found = await fetchSilences(remoteOf(options.url, options))
  if (format === 'json') stdout.write(json(found))
  else if (found.length === 0) stderr.write('No silences.\n')
  else stdout.write(silenceTable(found, stdout.columns))
}

function fetchSilences(remote: Remote): Promise<readonly ListedSilence[]> {
  return ask(remote, async (client) => {
    const found: ListedSilence[] = []
    for await (const page of client.pages('/v1/silences', { params: { query: { limit: 100 } } })) found.push(...page)
    return found
  })
}

async function unsilence({ stdout }: Context, start: string, options: RemoteOptions): Promise<void> {
  const remote = remoteOf(options.url, options)
  const id = isWhole(start) ? start : theOne(await fetchSilences(remote), start, 'silence', 'tidemark alert silences')
  await ask(remote, (client) => client.DELETE('/v1/silences/{id}', { params: { path: { id } } }))
  stdout.write(`Silence ${id} ended.\n`)
}

async function test({ stdout, stderr }: Context, id: string, options: RemoteOptions): Promise<void> {
  const { data } = await ask(remoteOf(options.url, options), (client) =>
    client.POST('/v1/alert-channels/{id}/test', { params: { path: { id } } }),
  )
  if (data.outcome === 'delivered') return void stdout.write(`${id} accepted the message: ${withoutControls(data.answer)}\n`)
  process.exitCode = 1
  stderr.write(`${id} ${data.outcome === 'broken' ? 'is broken' : 'rejected the message'}: ${withoutControls(data.answer)}\n`)
}

async function explain({ stdout }: Context, idOrName: string, { format, ...options }: Formatted): Promise<void> {
  const remote = remoteOf(options.url, options)
  const { id: checkId } = await findServerCheck(remote, idOrName)
  const { data } = await ask(remote, (client) => client.GET('/v1/alerts/explain', { params: { query: { checkId } } }))
  stdout.write(format === 'json' ? json(data) : explanationText(data))
}
