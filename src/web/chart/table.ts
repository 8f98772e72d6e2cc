import type { Report, Row } from '../api/answers.ts'
import { bucketAfter, type ChartInterval } from '../state/bucket-choice.ts'

/** A report as columns over time, one for each group and metric. */
export type ChartTable = { readonly times: readonly number[]; readonly ends: readonly number[]; readonly columns: readonly ChartColumn[] }
type ChartColumn = {
  readonly metric: string
  /** The group's label; null without grouping. */
  readonly group: string | null
  readonly values: readonly (number | null)[]
}

type Cut = { readonly metrics: readonly string[]; readonly groupBy: string | null; readonly interval: ChartInterval | null }

/** Times are starts and ends of buckets, in epoch milliseconds. A missing bucket is a gap in every column. */
export function tableOf(report: Report, { metrics, groupBy, interval }: Cut): ChartTable {
  const groups = report.series.map(({ data, ...entry }) => ({ name: groupName(groupBy, entry, data[0]), rows: byTime(data) }))
  const times = withGaps(
    [...new Set(groups.flatMap(({ rows }) => [...rows.keys()]))].sort((a, b) => a - b),
    interval,
  )
  const columns = groups.flatMap(({ name, rows }) =>
    metrics.map((metric) => ({ metric, group: name, values: times.map((time) => numberOrNull(rows.get(time)?.[metric])) })),
  )
  return { times, ends: times.map((time) => bucketAfter(time, interval)), columns }
}

function groupName(groupBy: string | null, entry: Readonly<Record<string, unknown>>, row: Row | undefined): string | null {
  if (groupBy === null) return null
  if (typeof row?.pageUrl === 'string') return pageName(row.pageUrl)
  return entry[groupBy] === null || entry[groupBy] === undefined ? 'none' : String(entry[groupBy])
}

function pageName(pageUrl: string): string {
  return URL.canParse(pageUrl) ? new URL(pageUrl).pathname + new URL(pageUrl).search : pageUrl
}

function byTime(rows: readonly Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [Date.parse(String(row.period)), row]))
}

/** Every bucket from the first to the last one, including empty ones. */
function withGaps(times: readonly number[], interval: ChartInterval | null): number[] {
  return times.flatMap((time, index) => {
    const next = times[index + 1] ?? time
    const starts = [time]
    for (let start = bucketAfter(time, interval); start < next; start = bucketAfter(start, interval)) starts.push(start)
    return starts
  })
}

export function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
