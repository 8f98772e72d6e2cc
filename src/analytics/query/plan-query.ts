import { offsetSegments } from '../../calendar/offsets.ts'
import { utc, type Zone } from '../../calendar/zone.ts'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import type { CheckType } from '../../checks/define.ts'
import { statusCode } from '../../checks/metric.ts'
import { apiError } from '../../errors.ts'
import {
  type AggregateQuery,
  type CheckSource,
  type Grouping,
  type GroupKey,
  type Order,
  type ResultFilter,
  type Window,
  wholePage,
} from '../../store/store.ts'
import { compareText } from '../../text/compare-text.ts'
import { dayMs } from '../../time.ts'
import { type FigureColumns, type MetricName, planColumns } from '../metric-names.ts'
import { aggregateQuery } from '../plan.ts'
import { type BucketWidth, chooseWindow, type WindowRequest } from '../window.ts'
import { type Compare, comparedWindow } from './compare.ts'
import { type HistogramName, queryMetric, queryMetricRef } from './metrics.ts'

export const queryDimensions = ['check', 'tag', 'checkType', 'runLocation', 'statusCode', 'hourOfDay', 'dayOfWeek'] as const
export type QueryDimension = (typeof queryDimensions)[number]

type OrderBy = { readonly metric: string; readonly direction: 'asc' | 'desc' }

/** A client's query over many checks. */
export type QueryRequest = WindowRequest & {
  readonly metrics: readonly string[]
  readonly interval: BucketWidth | null
  readonly fill: boolean
  readonly groupBy: readonly QueryDimension[]
  readonly filter: Pick<ResultFilter, 'success' | 'failure' | 'locations'> & { readonly statusCodes: readonly number[] | null }
  readonly orderBy: OrderBy | null
  readonly limit: number
  readonly offset: number
  readonly compare: Compare | null
  /** In percent. */
  readonly confidence: number | null
  readonly bounds: readonly number[] | null
}

export type QueryPlan = {
  readonly request: QueryRequest
  readonly checks: readonly Check[]
  readonly types: readonly CheckType[]
  readonly zone: Zone
  readonly window: Window
  readonly columns: FigureColumns
  readonly histogram: HistogramName | null
  readonly query: AggregateQuery
  /** Whether rows are ordered by a value that the store does not have, so that all of them are needed. */
  readonly isOrderedLate: boolean
  readonly compared: { readonly window: Window; readonly query: AggregateQuery } | null
}

/** `window` overrides that of the request, for further pages of the same query. */
export function planQuery(
  request: QueryRequest,
  {
    checks,
    allTypes,
    now,
    window: given,
    isByTime,
  }: { checks: readonly Check[]; allTypes: readonly CheckType[]; now: number; window: Window | null; isByTime: boolean },
): QueryPlan {
  const window = given ?? chooseWindow(request, now)
  const zone = request.timezone ?? utc
  const ordered = checks.toSorted((a, b) => compareText(a.id, b.id))
  const types = [...new Set(ordered.map(({ checkType }) => checkType))]
  const metrics = request.metrics.map((name) => queryMetric(name, types, allTypes))
  const histogram = onlyHistogram(request, metrics)
  const columns = planColumns(metrics.filter(isFigure), request.confidence === null ? null : request.confidence / 100)
  const names = histogram ? [histogram.metric] : columns.metrics
  const sources = ordered.map((check) => sourceOf(check, names, request.groupBy))
  const isOrderedLate = isByTime && request.orderBy?.metric === 'availability'
  const queryOf = (window: Window, wanted: 'page' | 'all'): AggregateQuery => ({
    ...aggregateQuery(columns, {
      sources,
      window,
      now,
      filter: filterOf(request.filter),
      groupBy: request.groupBy.map((dimension) => groupingOf(dimension, zone, window, now)),
      interval: request.interval,
      fill: request.fill,
      zone,
      page: wanted === 'all' || isOrderedLate ? wholePage : { offset: request.offset, limit: request.limit + 1 },
    }),
    order: wanted === 'all' || isOrderedLate ? null : orderOf(request.orderBy, columns),
    histogram: histogram && { column: 0, bounds: request.bounds },
  })
  const compared = request.compare && comparedWindow(request.compare, request, window)
  return {
    request,
    checks: ordered,
    types: types.length > 0 ? types : allTypes,
    zone,
    window,
    columns,
    histogram,
    query: queryOf(window, 'page'),
    isOrderedLate,
    compared: compared && { window: compared, query: queryOf(compared, 'all') },
  }
}

/** Null if no row has the figure, so that there is nothing to order by. */
function orderOf(orderBy: OrderBy | null, { columns }: FigureColumns): Order | null {
  if (!orderBy) return null
  const { metric, direction } = orderBy
  if (metric === 'total' || metric === 'success')
    return columns.some(({ kind }) => kind === 'availability') ? { by: metric, direction } : null
  const column = columns.find(({ name }) => name === metric)
  if (!column) return null
  return { by: column.kind === 'availability' || column.kind === 'retries' ? column.kind : column.figure, direction }
}

const isFigure = (metric: MetricName | HistogramName): metric is MetricName => metric.kind !== 'histogram'

function onlyHistogram({ compare, confidence, orderBy, bounds }: QueryRequest, metrics: readonly (MetricName | HistogramName)[]) {
  const histogram = metrics.find((metric) => metric.kind === 'histogram') ?? null
  if (!histogram && bounds)
    throw apiError('INVALID_BODY', { reason: 'bounds apply to histograms only: use a metric such as duration_histogram.' })
  if (histogram && (metrics.length > 1 || compare !== null || confidence !== null || orderBy !== null))
    throw apiError('INVALID_BODY', { reason: 'A histogram is asked for alone: without other metrics, compare, confidence and orderBy.' })
  return histogram
}

function sourceOf(check: Check, metrics: readonly string[], groupBy: readonly QueryDimension[]): CheckSource {
  return {
    check: refOf(check),
    columns: metrics.map((metric) => queryMetricRef(check.checkType, metric)),
    labels: groupBy.flatMap((dimension) => {
      const labels = labelsOf(check, dimension)
      return labels ? [labels] : []
    }),
  }
}

/** The groups of a check, for a dimension of checks; null for a dimension of results. */
function labelsOf(check: Check, dimension: QueryDimension): readonly GroupKey[] | null {
  if (dimension === 'check') return [check.id]
  if (dimension === 'tag') return [...new Set(check.tags)]
  return dimension === 'checkType' ? [check.checkType.type] : null
}

function groupingOf(dimension: QueryDimension, zone: Zone, { from, to }: Window, now: number): Grouping {
  switch (dimension) {
    case 'check':
    case 'tag':
    case 'checkType':
      return { by: 'label' }
    case 'runLocation':
      return { by: 'location' }
    case 'statusCode':
      return { by: 'field', name: statusCode.name }
    default:
      return { by: dimension, offsets: offsetSegments(zone, { from, to: Math.max(from, Math.min(to, now + dayMs)) }) }
  }
}

function filterOf({ success, failure, locations, statusCodes }: QueryRequest['filter']): ResultFilter | null {
  if (success && failure && !locations && !statusCodes) return null
  return { success, failure, states: [], locations, field: statusCodes && { name: statusCode.name, values: statusCodes } }
}
