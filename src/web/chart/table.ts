import type { Report, Row } from '../api/answers.ts'

/** A report as columns over time: one for each group and metric. */
export type ChartTable = { readonly times: readonly number[]; readonly columns: readonly ChartColumn[] }
type ChartColumn = {
  readonly metric: string
  /** The group's label; null without grouping. */
  readonly group: string | null
  readonly values: readonly (number | null)[]
}

type Cut = { readonly metrics: readonly string[]; readonly groupBy: string | null; readonly bucketMs: number }

/** Times are bucket starts in epoch milliseconds; a missing bucket is a gap in every column. */
export function tableOf(report: Report, { metrics, groupBy, bucketMs }: Cut): ChartTable {
  const groups = report.series.map(({ data, ...entry }) => ({ name: groupName(groupBy, entry, data[0]), rows: byTime(data) }))
  const times = withGaps(
    [...new Set(groups.flatMap(({ rows }) => [...rows.keys()]))].sort((a, b) => a - b),
    bucketMs,
  )
  const columns = groups.flatMap(({ name, rows }) =>
    metrics.map((metric) => ({ metric, group: name, values: times.map((time) => numberOf(rows.get(time)?.[metric])) })),
  )
  return { times, columns }
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

/** Every bucket from the first to the last one, also those without results. */
function withGaps(times: readonly number[], bucketMs: number): number[] {
  return times.flatMap((time, index) => {
    const next = times[index + 1] ?? time
    const missing = Math.max(0, Math.ceil((next - time) / bucketMs) - 1)
    return [time, ...Array.from({ length: missing }, (_, step) => time + (step + 1) * bucketMs)]
  })
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
