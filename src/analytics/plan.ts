import { type Check, refOf } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import type { Dimension } from '../checks/metric.ts'
import type { AggregateQuery, Aggregation, Figure, Grouping, RawQuery, StatusFilter, Window } from '../store/store.ts'
import { minuteMs } from '../time.ts'
import type { MetricName } from './metric-names.ts'
import { mondayMs } from './quick-range.ts'
import { chooseWindow, type WindowRequest } from './window.ts'

/** The parsed parameters of a report. */
export type AnalyticsRequest = WindowRequest & {
  readonly metrics: readonly MetricName[]
  readonly intervalMinutes: number | null
  readonly statuses: readonly string[]
  readonly groupBy: Dimension | null
  readonly limit: number
  readonly page: number
}

/** A query to the store, with everything else that its report needs. */
export type Plan = Asked & (AggregatePlan | RawPlan)

type Asked = {
  readonly check: Check
  readonly window: Window
  readonly groupBy: Dimension | null
  readonly limit: number
  readonly page: number
  readonly columns: readonly Column[]
}
type AggregatePlan = { readonly kind: 'aggregate'; readonly query: AggregateQuery }
type RawPlan = { readonly kind: 'raw'; readonly query: RawQuery }

/** A metric of the report, and its index among the values of the store's answer. */
export type Column = MetricName & { readonly index: number }

export function plan(check: Check, request: AnalyticsRequest, now: number): Plan {
  const window = chooseWindow(request, now)
  const question = {
    check: refOf(check),
    window,
    filter: statusFilter(request.statuses),
    groupBy: grouping(request.groupBy),
    rowPage: paging(request),
    groupPage: null,
  }
  const common = { check, window, groupBy: request.groupBy, limit: request.limit, page: request.page }
  if (isRaw(request.metrics)) {
    const columns = number(request.metrics)
    const metrics = columns.filter(isMeasured).map(({ metric }) => ({ metric, perPage: isPerPage(check.checkType, metric) }))
    return { ...common, columns, kind: 'raw', query: { ...question, metrics } }
  }
  const columns = number(request.metrics.map(averaged))
  const figures = columns
    .filter((column) => column.kind === 'aggregated')
    .map(({ metric, aggregation }) => figureOf(check.checkType, metric, aggregation))
  const counts = columns.some(({ kind }) => kind === 'availability' || kind === 'retries')
  const pages = request.groupBy && request.intervalMinutes === null ? { rowPage: oneRow, groupPage: paging(request) } : {}
  const query = { ...question, ...pages, figures, counts, buckets: buckets(request.intervalMinutes, window) }
  return { ...common, columns, kind: 'aggregate', query }
}

type Whole = { readonly window: Window; readonly figures: readonly Figure[]; readonly counts: boolean }

const oneRow = { offset: 0, limit: 1 } as const

/** The query for one row over a whole window. */
export function planWhole(check: Check, { window, figures, counts }: Whole): AggregateQuery {
  return { check: refOf(check), window, filter: null, groupBy: null, rowPage: oneRow, groupPage: null, figures, counts, buckets: null }
}

export function figureOf(checkType: CheckType, metric: string, aggregation: Aggregation): Figure {
  return { metric, perPage: isPerPage(checkType, metric), aggregation }
}

/** The rows of a page. */
export function paging({ page, limit }: { readonly page: number; readonly limit: number }) {
  return { offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER), limit }
}

/** Buckets are aligned to the clock; one as wide as the window or wider starts with it. */
export function buckets(intervalMinutes: number | null, { from, to }: Window): AggregateQuery['buckets'] {
  if (intervalMinutes === null) return null
  const widthMs = intervalMinutes * minuteMs
  return widthMs >= to - from ? { originMs: from, widthMs: to - from + 1 } : { originMs: mondayMs, widthMs }
}

function isRaw(metrics: readonly MetricName[]): boolean {
  return metrics.some(({ kind }) => kind === 'base') && !metrics.some(({ kind }) => kind === 'aggregated')
}

/** Next to names with a suffix, a base without one is its average. */
function averaged(metric: MetricName): MetricName {
  return metric.kind === 'base' ? { ...metric, kind: 'aggregated', aggregation: 'avg' } : metric
}

function number(metrics: readonly MetricName[]): readonly Column[] {
  let next = 0
  return metrics.map((metric) => ({ ...metric, index: isMeasured(metric) ? next++ : -1 }))
}

function isMeasured<M extends MetricName>(metric: M): metric is Extract<M, { readonly metric: string }> {
  return metric.kind === 'base' || metric.kind === 'aggregated'
}

function isPerPage({ metrics }: CheckType, metric: string): boolean {
  return metrics[metric]?.perPage ?? false
}

function statusFilter(statuses: readonly string[]): StatusFilter | null {
  if (statuses.length === 0) return null
  const states = statuses.filter((status) => status !== 'success' && status !== 'failure')
  return { success: statuses.includes('success'), failure: statuses.includes('failure'), states }
}

function grouping(dimension: Dimension | null): Grouping | null {
  if (!dimension) return null
  return dimension.by === 'field' ? { by: 'field', name: dimension.name } : { by: dimension.by }
}
