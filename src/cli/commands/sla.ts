import { readFile, writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Edge } from '../../analytics/resolve-window.ts'
import type { Zone } from '../../calendar/zone.ts'
import { Duration, durationMs } from '../../checks/duration.ts'
import { Check } from '../../schema/typebox.ts'
import { withoutControls } from '../../text/without-controls.ts'
import { isoText } from '../../time.ts'
import { CommandFailure, type Context } from '../context.ts'
import { collectNames, timeParser, timezoneOption } from '../options.ts'
import { accountOption, keyOption, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { collectSheet } from '../sla/collect.ts'
import { percentText, pluralOf } from '../sla/figures.ts'
import { sheetWindow } from '../sla/period.ts'
import { readSheet, type SheetFileFormat, sheetFormats, sheetText } from '../sla/read-sheet.ts'
import { recompute } from '../sla/recompute.ts'
import type { Sheet, SheetPolicy } from '../sla/sheet-schema.ts'
import { fileLines, storeLines, type VerifiedLine } from '../sla/verify.ts'
import { outageCount, titleText } from '../sla/wording.ts'
import { paintFor } from '../terminal/paint.ts'
import { version } from '../version.ts'

type SlaOptions = RemoteOptions & {
  readonly tag: readonly string[]
  readonly check: readonly string[]
  readonly month?: string
  readonly from?: Edge
  readonly to?: Edge
  readonly timezone?: Zone
  readonly out?: string
  readonly format?: SheetFileFormat
  readonly quorum: string
  readonly degraded: string
  readonly maintenance: string
  readonly minOutage: number
  readonly serviceHours?: string
}
type VerifyOptions = Omit<RemoteOptions, 'account'>

export function slaCommand(context: Context): Command {
  const command = new Command('sla')
    .description('Write or verify a sheet of availability, outages and hashes of the underlying results.')
    .enablePositionalOptions()
    .option('--tag <tags>', 'checks with any of these tags', collectNames, [])
    .option('--check <ids>', 'checks with these ids; default: all', collectNames, [])
    .option('--month <month>', 'a calendar month of the time zone, such as 2026-10')
    .option('--from <time>', 'the start of the window, instead of a month', timeParser(context))
    .option('--to <time>', 'the end of the window', timeParser(context))
    .addOption(timezoneOption())
    .option('-o, --out <file>', 'the file to write; default: standard output')
    .addOption(new Option('--format <format>', 'default: from the file name, else html').choices(sheetFormats))
    .addOption(urlOption(context))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .action((options: SlaOptions) => write(context, options))
  for (const option of policyOptions()) command.addOption(option)
  command.addCommand(verifyCommand(context))
  return command
}

function policyOptions(): readonly Option[] {
  return [
    new Option('--quorum <locations>', 'how many locations must be down: a number, or majority').default('1').argParser(parseQuorum),
    new Option('--degraded <as>', 'what degraded time counts as').choices(['up', 'down']).default('up'),
    new Option('--maintenance <how>', 'whether time in maintenance counts').choices(['exclude', 'include']).default('exclude'),
    new Option('--min-outage <duration>', 'shorter outages count as up, such as 5m').default(0, 'none').argParser(parseSeconds),
    new Option('--service-hours <name>', 'only time within these hours of the config counts'),
  ]
}

function verifyCommand(context: Context): Command {
  return new Command('verify')
    .description('Recompute a sheet from the stored results and report differences line by line. Exit status 1 if anything differs.')
    .argument('<file>', 'a sheet as HTML, CSV or JSON')
    .addOption(urlOption(context))
    .addOption(keyOption(context))
    .action((file: string, options: VerifyOptions) => verify(context, file, options))
}

const urlOption = ({ settings }: Context) =>
  new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(settings.url)

async function write({ stdout, stderr, now }: Context, options: SlaOptions): Promise<void> {
  const format = formatOf(options)
  const generatedAt = now()
  const window = sheetWindow(options, generatedAt)
  const selection = { tags: options.tag, checks: options.check }
  const request = { version: version(), generatedAt: isoText(generatedAt), selection, window, policy: policyOf(options) }
  const sheet = await collectSheet(remoteOf(options.url, options), request)
  const text = sheetText(sheet, format)
  if (options.out === undefined) {
    stdout.write(text)
    return
  }
  await writeFile(options.out, text).catch((error: Error) => {
    throw new CommandFailure(`${options.out} cannot be written: ${error.message}`)
  })
  stderr.write(`${options.out}: ${summary(sheet)}\n`)
}

async function verify(context: Context, file: string, options: VerifyOptions): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailure(`${file} cannot be read: ${error.message}`)
  })
  const read = await readSheet(text, file)
  const { sheet } = read
  const remote = remoteOf(options.url, { ...options, account: sheet.account })
  const { stdout } = context
  const lines = fileLines(read, version())
  stdout.write(`${titleText(sheet)}: made ${sheet.generatedAt} by Tidemark ${sheet.version}\n\nThe file\n`)
  print(context, lines)
  const compared = storeLines(sheet, await recompute(remote, sheet))
  stdout.write(`\nThe store at ${remote.url.origin}\n`)
  print(context, compared)
  const all = [...lines, ...compared].filter(({ matches }) => matches !== null)
  const differing = all.filter(({ matches }) => matches === false).length
  stdout.write(differing === 0 ? `\nAll ${all.length} statements match.\n` : `\n${differing} of ${all.length} statements do not match.\n`)
  if (differing > 0) process.exitCode = 1
}

function print({ stdout }: Context, lines: readonly VerifiedLine[]): void {
  const paint = paintFor(stdout)
  const width = lines.reduce((longest, { subject }) => Math.max(longest, subject.length), 0)
  for (const { matches, subject, words } of lines) {
    const mark = matches === null ? paint('faint', '–') : matches ? paint('good', '✓') : paint('bad', '✗')
    stdout.write(`  ${mark} ${subject.padEnd(width)}  ${withoutControls(words)}\n`)
  }
}

function summary({ checks, total: { byRuns, byTime, outages } }: Sheet): string {
  const figures = `${percentText(byTime.availability)} by time, ${percentText(byRuns.availability)} by runs`
  return `${pluralOf(checks.length, 'check')}, ${figures}, ${outageCount(outages)}.`
}

function formatOf({ format, out }: SlaOptions): SheetFileFormat {
  if (format !== undefined) return format
  if (out === undefined) return 'html'
  const extension = extname(out).slice(1).toLowerCase()
  const known = sheetFormats.find((one) => one === extension)
  if (!known) throw new CommandFailure(`${out} has no known extension: use .html, .csv or .json, or --format.`)
  return known
}

function policyOf({ quorum, degraded, maintenance, minOutage, serviceHours }: SlaOptions): SheetPolicy {
  return { quorum, degraded, maintenance, minOutageSeconds: minOutage, serviceHours: serviceHours || null }
}

function parseQuorum(text: string): string {
  if (!/^([1-9][0-9]{0,3}|majority)$/.test(text)) throw new InvalidArgumentError('It must be a number from 1, or majority.')
  return text
}

function parseSeconds(text: string): number {
  const seconds = Check(Duration, text) ? durationMs(text) / 1000 : Number.NaN
  if (!Number.isInteger(seconds)) throw new InvalidArgumentError('It must be whole seconds as a duration, such as 90s or 5m.')
  return seconds
}
