import { Command, InvalidArgumentError, Option } from 'commander'
import { quickRanges } from '../analytics/quick-range.ts'
import { durationMs } from '../checks/duration.ts'
import { aggregations } from '../store/store.ts'
import { nearest } from '../text/nearest.ts'
import { minuteMs } from '../time.ts'
import { get, okBody } from './api-client.ts'
import { CommandFailure, type Context } from './context.ts'
import { parseList } from './options.ts'
import { accountOption, keyOption, remoteOf } from './remote.ts'
import { analyticsPath, fetchAllPages, type ReportBody } from './report/fetch-report.ts'
import { type FoundCheck, findCheck } from './report/find-check.ts'
import { reportCsv, reportTable } from './report/format.ts'

type ReportOptions = {
  readonly metrics: readonly string[]
  readonly range?: string
  readonly from?: string
  readonly to?: string
  readonly groupBy?: string
  readonly every?: number
  readonly filter?: string
  readonly limit?: string
  readonly page?: string
  readonly url: string
  readonly key?: string
  readonly account?: string
  readonly format?: 'table' | 'json' | 'csv'
}

export function reportCommand(context: Context): Command {
  return new Command('report')
    .description('Query a running server about a check; prints a table, JSON or CSV.')
    .argument('<check>', 'its id or name')
    .requiredOption('-m, --metrics <list>', 'metrics of its type; a bare p95 is that of its duration', parseList)
    .option('-r, --range <range>', `${quickRanges.join(', ')}; default: the first`)
    .option('--from <time>', 'a date, an ISO timestamp or unix seconds')
    .option('--to <time>', 'the same; default: now')
    .option('-g, --group-by <dimension>', 'such as runLocation')
    .option('-e, --every <duration>', 'the bucket size, such as 5m, 1h or 1d', parseMinutes)
    .option('--filter <statuses>', 'only success, or only failure')
    .option('--limit <rows>', 'the page size, up to 100; default: all rows')
    .option('--page <number>', 'the page number')
    .addOption(new Option('-u, --url <address>', 'the address of the server (TIDEMARK_URL)').default(context.settings.url))
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addOption(new Option('--format <format>', 'table on a terminal, else csv').choices(['table', 'json', 'csv']))
    .action((check: string, options: ReportOptions) => report(context, check, options))
}

async function report({ stdout, stderr }: Context, idOrName: string, options: ReportOptions): Promise<void> {
  const remote = remoteOf(options.url, options)
  const check = await findCheck(remote, idOrName)
  const path = analyticsPath(check.checkType, check.id)
  const parameters = parametersOf(check, options)
  const format = options.format ?? (stdout.isTTY ? 'table' : 'csv')
  const onePage = options.limit !== undefined || options.page !== undefined
  if (format === 'json') {
    stdout.write(`${okBody(await get(remote, path, parameters))}\n`)
    return
  }
  const { report: body, truncated } = onePage
    ? { report: JSON.parse(okBody(await get(remote, path, parameters))) as ReportBody, truncated: false }
    : await fetchAllPages(remote, path, parameters)
  stdout.write(format === 'csv' ? reportCsv(body) : reportTable(body, `${check.name} (${check.checkType.label})`))
  if (format === 'csv' && body.series.every(({ data }) => data.length === 0))
    stderr.write(`There are no results from ${body.from} to ${body.to}.\n`)
  if (truncated) stderr.write('There are more rows than shown: use a shorter window, or pages with --limit and --page.\n')
}

function parametersOf(check: FoundCheck, options: ReportOptions): URLSearchParams {
  const { metrics, range, from, to, groupBy, every, filter, limit, page } = options
  const given = { quickRange: range, from, to, groupBy, aggregationInterval: every, filterByStatus: filter, limit, page }
  const present = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
  return new URLSearchParams([['metrics', metrics.map((metric) => fullName(check, metric)).join(',')], ...present])
}

/** A bare aggregation such as `p95` is that of the type's duration. */
function fullName({ checkType: { duration, label } }: FoundCheck, metric: string): string {
  if (/^p[0-9.]+$/.test(metric) && !isAggregation(metric))
    throw new CommandFailure(`There is no ${metric}. Nearest: ${nearest(metric, aggregations).join(', ')}.`)
  if (!isAggregation(metric)) return metric
  if (duration === null) throw new CommandFailure(`A ${label.toLowerCase()} has no duration, so no ${metric}. Ask for availability.`)
  return `${duration}_${metric}`
}

const isAggregation = (name: string) => aggregations.some((aggregation) => aggregation === name)

function parseMinutes(text: string): number {
  const minutes = /^[1-9][0-9]{0,8}(ms|s|m|h|d)$/.test(text) ? durationMs(text) / minuteMs : 0
  if (!Number.isInteger(minutes) || minutes < 1) throw new InvalidArgumentError('It must be whole minutes, such as 5m, 1h or 1d.')
  return minutes
}
