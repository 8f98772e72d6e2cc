import type { Check, CheckType, Metric } from '../api/answers.ts'
import { automaticBucket, bucketIn, type ChartInterval, callsFor } from '../state/bucket-choice.ts'
import type { Route } from '../state/route.tsx'
import { endsOf, type TimeWindow, windowOf } from '../state/window.ts'

export const aggregationChoices = ['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'] as const
export const percentiles = ['p99', 'p95', 'p90', 'p50'] as const
export const band = 'percentiles'

/** Metrics of every check that have no aggregations. */
export const plainMetrics: readonly Metric[] = [
  { name: 'availability', unit: 'percentage', label: 'Availability', perPage: false },
  { name: 'retries', unit: 'count', label: 'Retries', perPage: false },
]

const comparisonChoices = ['previousPeriod', 'sameWeekdays'] as const
type Comparison = (typeof comparisonChoices)[number]

/** View options in the URL. */
export type CheckViewState = {
  readonly window: TimeWindow
  readonly metric: Metric
  /** An aggregation, or the band of percentiles; null for a metric without aggregations. */
  readonly aggregation: string | null
  readonly groupBy: string | null
  readonly status: string | null
  /** Whether availability counts runs or time. */
  readonly by: 'runs' | 'time'
  /** The window to compare with; null for none. */
  readonly compare: Comparison | null
  /** Lists only runs of this location; null for all. */
  readonly location: string | null
  /** The bucket width in the URL; null for automatic. */
  readonly chosenBucket: ChartInterval | null
  readonly bucket: ChartInterval
  /** The number of requests needed for all buckets. */
  readonly calls: number
  readonly page: number
}

export function checkViewState({ query }: Route, check: Check, checkType: CheckType, now: number): CheckViewState {
  const window = windowOf({ query })
  const span = endsOf(window, now)
  const metric = metricOf(checkType, query.get('metric'))
  const groupBy = among(
    query.get('groupBy'),
    checkType.groupBy.map(({ name }) => name),
  )
  const chosenBucket = bucketIn(query, span)
  const status = among(query.get('filterByStatus'), checkType.filterByStatus)
  const bucket = chosenBucket ?? automaticBucket(span, check.frequency)
  return {
    window,
    metric,
    aggregation: plainMetrics.includes(metric) ? null : aggregationOf(query.get('aggregation'), groupBy),
    groupBy,
    status,
    by: status === null && canCountTime(checkType, groupBy) && query.get('availabilityBy') === 'time' ? 'time' : 'runs',
    compare: comparisonChoices.find((choice) => choice === query.get('compare')) ?? null,
    location: query.get('location'),
    chosenBucket,
    bucket,
    calls: callsFor(span, bucket),
    page: Math.max(1, Math.floor(Number(query.get('page'))) || 1),
  }
}

/** Whether the API can count time instead of runs for this grouping: only locations have states. */
export function canCountTime(checkType: Pick<CheckType, 'groupBy'>, groupBy: string | null): boolean {
  return groupBy === null || checkType.groupBy.find(({ name }) => name === groupBy)?.by === 'location'
}

function metricOf(checkType: CheckType, name: string | null): Metric {
  const all = [...checkType.metrics, ...plainMetrics]
  const metric = all.find((metric) => metric.name === name) ?? all.find((metric) => metric.name === checkType.duration)
  return metric ?? plainMetrics[0] ?? { name: 'availability', unit: 'percentage', label: 'Availability', perPage: false }
}

function aggregationOf(requested: string | null, groupBy: string | null): string {
  const one = among(requested, aggregationChoices)
  if (one !== null) return one
  return groupBy === null ? band : 'p95'
}

function among(value: string | null, values: readonly string[]): string | null {
  return value !== null && values.includes(value) ? value : null
}
