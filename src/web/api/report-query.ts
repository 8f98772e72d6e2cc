import { type ChartInterval, rowsPerCall } from '../state/bucket-choice.ts'
import { queryText, type TimeWindow, windowParameters, zoneParameters } from '../state/window.ts'
import type { Report, Series } from './answers.ts'
import type { Api } from './client.ts'

/** The query behind one chart. Everything drawn or exported derives from it. */
export type ReportQuery = {
  readonly endpoint: string
  readonly checkId: string
  readonly metrics: readonly string[]
  readonly window: TimeWindow
  readonly interval: ChartInterval | null
  readonly groupBy: string | null
  readonly status: string | null
  /** Whether availability counts runs or time. */
  readonly by: 'runs' | 'time'
  /** The number of pages needed for all rows. */
  readonly calls: number
}

/** The path of one page of the report; curl expands `[1-3]` to pages 1 to 3. */
export function queryPath(query: ReportQuery, page: number | string): string {
  const window = windowParameters(query.window)
  const parameters: [string, string][] = [['metrics', query.metrics.join(',')], ...window]
  if (query.interval !== null) {
    parameters.push(['aggregationInterval', String(query.interval)])
    if (!window.some(([name]) => name === 'timezone')) parameters.push(...zoneParameters())
  }
  if (query.groupBy !== null) parameters.push(['groupBy', query.groupBy])
  if (query.status !== null) parameters.push(['filterByStatus', query.status])
  if (query.by === 'time') parameters.push(['availabilityBy', 'time'])
  parameters.push(['limit', String(rowsPerCall)])
  if (page !== 1) parameters.push(['page', String(page)])
  return `${query.endpoint}/${query.checkId}?${queryText(parameters)}`
}

/** The same query for the resolved window of a report. */
export function withWindowOf(query: ReportQuery, report: Report): ReportQuery {
  return { ...query, window: { from: Date.parse(report.from), to: Date.parse(report.to) } }
}

export async function loadReport(api: Api, query: ReportQuery, signal: AbortSignal): Promise<Report> {
  const { data: first } = await api.request<Report>({ path: queryPath(query, 1) }, signal)
  const fixed = withWindowOf(query, first)
  const pages = Array.from({ length: query.calls - 1 }, (_, index) => index + 2)
  const rest = await Promise.all(pages.map((page) => api.request<Report>({ path: queryPath(fixed, page) }, signal)))
  return { ...first, series: rest.reduce((series, { data }) => joined(series, data.series, query.groupBy), first.series) }
}

/** Loads all groups of a report without buckets, whose pages are pages of groups. */
export async function loadGroups(api: Api, query: ReportQuery, signal: AbortSignal): Promise<Report> {
  const { data: first } = await api.request<Report>({ path: queryPath(query, 1) }, signal)
  const fixed = withWindowOf(query, first)
  const series = [...first.series]
  for (let page = 2; series.length === (page - 1) * rowsPerCall; page++)
    series.push(...(await api.request<Report>({ path: queryPath(fixed, page) }, signal)).data.series)
  return { ...first, series }
}

function joined(series: readonly Series[], more: readonly Series[], groupBy: string | null): readonly Series[] {
  if (groupBy === null) return [{ ...series[0], data: [...(series[0]?.data ?? []), ...(more[0]?.data ?? [])] }]
  const all = new Map(series.map((entry) => [entry[groupBy], entry]))
  for (const entry of more) {
    all.set(entry[groupBy], { ...entry, data: [...(all.get(entry[groupBy])?.data ?? []), ...entry.data] })
  }
  return [...all.values()]
}
