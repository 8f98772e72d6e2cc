import { utc, type Zone } from '../calendar/zone.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import type { Dimension } from '../checks/metric.ts'
import type { AggregateQuery, CheckSource, Grouping, Paging, RawQuery, ResultFilter, Window } from '../store/store.ts'
import { type FigureColumn, type FigureColumns, type MetricName, metricRef, planColumns } from './metric-names.ts'
import { type BucketWidth, bucketsOf, chooseWindow, type WindowRequest } from './window.ts'

/** A client's query of one check. */
export type AnalyticsRequest = WindowRequest & {
  readonly metrics: readonly MetricName[]
  readonly interval: BucketWidth | null
  readonly fill: boolean
  readonly statuses: readonly string[]
  readonly groupBy: Dimension | null
  readonly limit: number
  readonly page: number
}

/** A query to the store, with the data that its report needs. */
export type Plan = Common & (AggregatePlan | RawPlan)

type Common = {
  readonly check: Check
  readonly window: Window
  /** Null if the client sent none. */
  readonly timezone: Zone | null
  readonly groupBy: Dimension | null
  readonly limit: number
  readonly page: number
  readonly columns: readonly FigureColumn[]
}
type AggregatePlan = { readonly kind: 'aggregate'; readonly query: AggregateQuery }
type RawPlan = { readonly kind: 'raw'; readonly query: RawQuery }

export function plan(check: Check, request: AnalyticsRequest, now: number): Plan {
  const { timezone, groupBy, limit, page } = request
  const window = chooseWindow(request, now)
  const common = { check, window, timezone, groupBy, limit, page }
  const filter = request.statuses.length > 0 ? statusFilter(request.statuses) : null
  if (isRaw(request.metrics)) return { ...common, ...rawPlan(check, request, { window, filter }) }
  const laidOut = planColumns(request.metrics)
  const query = aggregateQuery(laidOut, {
    sources: [sourceOf(check, laidOut)],
    window,
    now,
    filter,
    groupBy: groupBy ? [grouping(groupBy)] : [],
    interval: request.interval,
    fill: request.fill,
    zone: timezone ?? utc,
    page: paging(request),
  })
  return { kind: 'aggregate', columns: laidOut.columns, query, ...common }
}

type AggregateOptions = {
  readonly sources: readonly CheckSource[]
  readonly window: Window
  readonly now: number
  readonly filter: ResultFilter | null
  readonly groupBy: readonly Grouping[]
  readonly interval: BucketWidth | null
  readonly fill: boolean
  readonly zone: Zone
  /** Pages the rows of each group if there are buckets, else the groups. */
  readonly page: Paging
}

/** Builds all queries for figures, of one check or of many. */
export function aggregateQuery({ figures, counts }: FigureColumns, options: AggregateOptions): AggregateQuery {
  const { sources, window, now, filter, groupBy, interval, fill, zone, page } = options
  const buckets = interval === null ? null : bucketsOf(interval, zone, window, now)
  const pagesGroups = groupBy.length > 0 && buckets === null
  return {
    sources,
    window,
    filter,
    groupBy,
    figures,
    counts,
    buckets,
    fill: fill && buckets ? { from: window.from, to: Math.min(window.to, now) } : null,
    histogram: null,
    rowPage: pagesGroups ? oneRow : page,
    groupPage: pagesGroups ? page : null,
  }
}

const oneRow = { offset: 0, limit: 1 } as const

/** A query with one row per check over the whole window, grouped by check id. */
export function planEach(columns: FigureColumns, sources: readonly CheckSource[], window: Window): AggregateQuery {
  return {
    sources: sources.map((source) => ({ ...source, labels: [[source.check.checkId]] })),
    window,
    filter: null,
    groupBy: [{ by: 'label' }],
    figures: columns.figures,
    counts: columns.counts,
    buckets: null,
    fill: null,
    histogram: null,
    rowPage: oneRow,
    groupPage: null,
  }
}

/** A check as a source of a query for metrics of its type. */
export function sourceOf(check: Check, { metrics }: Pick<FigureColumns, 'metrics'>): CheckSource {
  return { check: refOf(check), columns: metrics.map((metric) => metricRef(check.checkType, metric)), labels: [] }
}

export function paging({ page, limit }: { readonly page: number; readonly limit: number }): Paging {
  return { offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER), limit }
}

function statusFilter(statuses: readonly string[]): ResultFilter {
  const states = statuses.filter((status) => status !== 'success' && status !== 'failure')
  return { success: statuses.includes('success'), failure: statuses.includes('failure'), states, locations: null, field: null }
}

function grouping(dimension: Dimension): Exclude<Grouping, { readonly by: 'label' | 'hourOfDay' | 'dayOfWeek' }> {
  return dimension.by === 'field' ? { by: 'field', name: dimension.name } : { by: dimension.by }
}

function isRaw(metrics: readonly MetricName[]): boolean {
  return metrics.some(({ kind }) => kind === 'base') && !metrics.some(({ kind }) => kind === 'aggregated')
}

type Selection = { readonly window: Window; readonly filter: ResultFilter | null }

function rawPlan(check: Check, request: AnalyticsRequest, selection: Selection): RawPlan & Pick<Common, 'columns'> {
  const bases = request.metrics.filter((name) => name.kind === 'base')
  const columns = request.metrics.map((name) => ({
    figure: name.kind === 'base' ? bases.findIndex(({ metric }) => metric === name.metric) : -1,
    bounds: null,
    ...name,
  }))
  const metrics = bases.flatMap(({ metric }) => metricRef(check.checkType, metric) ?? [])
  const groupBy = request.groupBy && grouping(request.groupBy)
  return { kind: 'raw', columns, query: { check: refOf(check), groupBy, metrics, rowPage: paging(request), groupPage: null, ...selection } }
}
