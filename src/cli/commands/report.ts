import { Command, InvalidArgumentError, Option } from 'commander'
import { comparisons } from '../../analytics/query/compare.ts'
import { quickRanges } from '../../analytics/resolve-window.ts'
import { type BucketWidth, calendarUnits } from '../../analytics/window.ts'
import { durationMs } from '../../checks/duration.ts'
import { aggregations } from '../../store/store.ts'
import { nearest } from '../../text/nearest.ts'
import { isoText, minuteMs } from '../../time.ts'
import { CommandFailure, type Context } from '../context.ts'
import { parseList, timeParser, timezoneOption } from '../options.ts'
import { accountOption, keyOption, type Remote, type RemoteOptions, remoteOf } from '../remote/remote.ts'
import { type FoundCheck, findServerCheck } from '../remote/server-check.ts'
import { type Condition, describeMatches, matchesOf, parseCondition, unreadable } from '../report/fail-if.ts'
import { fetchAllPages, fetchReport, type ReportBody, type ReportRequest } from '../report/fetch-report.ts'
import { reportCsv, reportTable } from '../report/format.ts'
import { fetchQuery, type ManyChecksOptions, queryTitle } from '../report/many-checks.ts'
import { reportMarkdown } from '../report/markdown.ts'

const formats = ['table', 'json', 'csv', 'markdown'] as const

type ReportOptions = ManyChecksOptions &
  RemoteOptions & {
    readonly page?: string
    readonly format?: (typeof formats)[number]
    readonly failIf: readonly Condition[]
  }

export function reportCommand(context: Context): Command {
  return new Command('report')
    .description('Query a running server about one or more checks. Prints a table, JSON, CSV or Markdown.')
    .argument('[check]', 'its id or name; without it: all checks, or those of --tag and --type')
    .option('-m, --metrics <list>', 'metrics of its type; a bare p95 is the p95 of its duration', parseList, ['availability', 'p95'])
    .option('-r, --range <range>', `${quickRanges.join(', ')}; default: the first`)
    .option('--from <time>', 'a date, an ISO timestamp, unix seconds, or a relative time such as -24h', timeText(context))
    .option('--to <time>', 'the same; default: now', timeText(context))
    .addOption(timezoneOption())
    .option('-g, --group-by <dimensions>', 'such as runLocation; for several checks up to two, such as check,hourOfDay', parseList)
    .option('-e, --every <interval>', 'the bucket size: 5m, 1h, 1d, or day, week or month of the time zone', parseInterval)
    .option('--filter <statuses>', 'only success, or only failure')
    .option('--limit <rows>', 'the page size, up to 100; default: all rows')
    .option('--page <number>', 'the page number')
    .option('-t, --tag <list>', 'several checks: those with any of these tags', parseList)
    .option('--type <list>', 'several checks: those of any of these types', parseList)
    .addOption(new Option('--compare <period>', 'several checks: compare each row with another period').choices([...comparisons]))
    .option('--confidence <percent>', 'several checks: confidence level of percentiles, such as 95', Number)
    .option('--order-by <metric>', 'several checks: sort by this metric, highest first')
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addOption(new Option('--format <format>', 'table on a terminal, else csv').choices([...formats]))
    .option('--fail-if <condition>', "exit with status 1 if a row matches, such as 'p95 > 800'; repeatable", addCondition, [])
    .action((check: string | undefined, options: ReportOptions) => report(context, check, options))
}

const addCondition = (text: string, earlier: readonly Condition[]) => [...earlier, parseCondition(text)]

type Fetched = {
  readonly body: ReportBody
  readonly json: string
  readonly title: string
  readonly truncated: boolean
  /** The full name of a metric, from its name on the command line. */
  readonly fullName: (metric: string) => string
}

async function report(context: Context, idOrName: string | undefined, options: ReportOptions): Promise<void> {
  try {
    const fetched = await printReport(context, idOrName, options)
    failIfMatched(context, fetched, options.failIf)
  } catch (error) {
    if (options.failIf.length === 0 || !(error instanceof CommandFailure)) throw error
    throw new CommandFailure(error.message, unreadable)
  }
}

/** That no row matches is only known if all of them were read. */
function failIfMatched({ stderr }: Context, { body, fullName, truncated }: Fetched, conditions: readonly Condition[]): void {
  const matched = matchesOf(
    body,
    conditions.map((condition) => ({ ...condition, column: fullName(condition.column) })),
  )
  if (matched.length === 0 && truncated && conditions.length > 0)
    throw new CommandFailure('No row that was read matches --fail-if, but there are more rows than can be read.')
  if (matched.length === 0) return
  stderr.write(describeMatches(matched, body))
  process.exitCode = 1
}

async function printReport({ stdout, stderr }: Context, idOrName: string | undefined, options: ReportOptions): Promise<Fetched> {
  const remote = remoteOf(options.url, options)
  const format = options.format ?? (stdout.isTTY ? 'table' : 'csv')
  const fetched = idOrName === undefined ? await manyChecks(remote, options) : await oneCheck(remote, idOrName, options)
  const { body, json, title, truncated } = fetched
  const printed = {
    json: () => `${json}\n`,
    csv: () => reportCsv(body),
    table: () => reportTable(body, title, stdout.columns),
    markdown: () => reportMarkdown(body, title),
  }
  stdout.write(printed[format]())
  if (format === 'csv' && body.series.every(({ data }) => data.length === 0))
    stderr.write(`There are no results from ${body.from} to ${body.to}.\n`)
  const narrower = idOrName === undefined ? 'fewer checks with --tag or --type' : 'pages with --limit and --page'
  if (truncated) stderr.write(`There are more rows than shown: use a shorter window, or ${narrower}.\n`)
  return fetched
}

async function manyChecks(remote: Remote, options: ReportOptions): Promise<Fetched> {
  if (options.page !== undefined) throw new CommandFailure('--page applies to a report of one check. For several checks, use --limit.')
  const named = (metric: string) => fullName(null, metric)
  const { body, json } = await fetchQuery(remote, { ...options, metrics: options.metrics.map(named) })
  const truncated = body.pagination.next !== null && options.limit === undefined
  return { body, json, title: queryTitle(body), truncated, fullName: named }
}

async function oneCheck(remote: Remote, idOrName: string, options: ReportOptions): Promise<Fetched> {
  const misplaced = (['tag', 'type', 'compare', 'confidence', 'orderBy'] as const).find((name) => options[name] !== undefined)
  if (misplaced)
    throw new CommandFailure(`--${misplaced === 'orderBy' ? 'order-by' : misplaced} applies to several checks: leave out ${idOrName}.`)
  const check = await findServerCheck(remote, idOrName)
  const request = requestOf(check, options)
  const about = { title: `${check.name} (${check.checkType.label})`, fullName: (metric: string) => fullName(check, metric) }
  const isOnePage = options.limit !== undefined || options.page !== undefined
  if (!isOnePage) {
    const { report: body, truncated } = await fetchAllPages(remote, request)
    return { ...about, body, json: JSON.stringify(body), truncated }
  }
  const json = await fetchReport(remote, request)
  return { ...about, body: JSON.parse(json) as ReportBody, json, truncated: false }
}

function requestOf(check: FoundCheck, options: ReportOptions): ReportRequest {
  const { metrics, range, from, to, timezone, groupBy, every, filter, limit, page } = options
  const query = {
    metrics: metrics.map((metric) => fullName(check, metric)),
    quickRange: range,
    from,
    to,
    timezone: timezone?.name,
    groupBy,
    aggregationInterval: every,
    filterByStatus: filter,
    limit,
    page,
  }
  return { checkType: check.checkType, id: check.id, query }
}

/** A bare aggregation such as `p95` means the duration: the type's own duration metric, or `duration` for several checks. */
function fullName(check: FoundCheck | null, metric: string): string {
  if (/^p[0-9.]+$/.test(metric) && !isAggregation(metric))
    throw new CommandFailure(`Unknown metric ${metric}. Nearest: ${nearest(metric, aggregations).join(', ')}.`)
  if (!isAggregation(metric)) return metric
  if (!check) return `duration_${metric}`
  const { duration, label } = check.checkType
  if (duration === null) throw new CommandFailure(`A ${label.toLowerCase()} has no duration, so no ${metric}. Use availability.`)
  return `${duration}_${metric}`
}

const isAggregation = (name: string) => aggregations.some((aggregation) => aggregation === name)

/** Formats a time for the API. */
function timeText(context: Context): (text: string) => string {
  const parse = timeParser(context)
  return (text) => {
    const time = parse(text)
    return typeof time === 'number' ? isoText(time) : time.date
  }
}

function parseInterval(text: string): BucketWidth {
  const unit = calendarUnits.find((candidate) => candidate === text)
  if (unit) return unit
  const minutes = /^[1-9][0-9]{0,8}(ms|s|m|h|d)$/.test(text) ? durationMs(text) / minuteMs : 0
  if (!Number.isInteger(minutes) || minutes < 1)
    throw new InvalidArgumentError('It must be whole minutes, such as 5m, 1h or 1d, or day, week or month.')
  return minutes
}
