import type { CheckType } from '../checks/define.ts'
import type { Metric, Unit } from '../checks/metric.ts'
import { apiError } from '../errors.ts'
import { type Aggregation, aggregations, type Figure, type MetricRef } from '../store/store.ts'
import { nearest } from '../text/nearest.ts'
import { quoted } from '../text/shortened.ts'

export type MetricName =
  | { readonly kind: 'base'; readonly name: string; readonly metric: string }
  | { readonly kind: 'aggregated'; readonly name: string; readonly metric: string; readonly aggregation: Aggregation }
  | { readonly kind: 'availability' | 'retries'; readonly name: string }

type MetricEntry = {
  readonly name: string
  readonly unit: Unit
  readonly label: string
  readonly aggregated: boolean
  readonly type: 'Float'
}

const ofEveryType = {
  availability: { unit: 'percentage', label: 'Availability' },
  retries: { unit: 'count', label: 'Retries' },
} as const satisfies Record<string, Metric>

/** Every metric name of a type: bases, availability, retries, then each base with its suffixes. */
export function metricNames({ metrics }: CheckType): readonly MetricName[] {
  const bases = Object.keys(metrics)
  return [
    ...bases.map((metric) => ({ kind: 'base', name: metric, metric }) as const),
    { kind: 'availability', name: 'availability' },
    { kind: 'retries', name: 'retries' },
    ...bases.flatMap((metric) =>
      aggregations.map((aggregation) => ({ kind: 'aggregated', name: `${metric}_${aggregation}`, metric, aggregation }) as const),
    ),
  ]
}

export function metricEntries(checkType: CheckType): readonly MetricEntry[] {
  const listed = metricNames(checkType).filter((metric) => !('metric' in metric && checkType.metrics[metric.metric]?.unlisted))
  return listed.map((metric) => {
    const { unit, label } = describeMetric(checkType, metric)
    return { name: metric.name, unit, label, aggregated: metric.kind !== 'base', type: 'Float' }
  })
}

/** Looks up metrics of a type by name; throws on an unknown one. */
export function metricFinder(checkType: CheckType): (name: string) => MetricName {
  const byName = new Map(metricNames(checkType).map((metric) => [metric.name, metric]))
  return (name) => {
    const metric = byName.get(name)
    if (!metric) throw unknownMetric(name, checkType, [...byName.keys()])
    return metric
  }
}

/** The unit and label of a metric: those of its base, the same for every suffix. */
export function describeMetric({ metrics }: CheckType, metric: MetricName): Metric {
  const described = metric.kind === 'base' || metric.kind === 'aggregated' ? metrics[metric.metric] : ofEveryType[metric.kind]
  if (!described) throw new TypeError(`${metric.name} is no metric`)
  return described
}

function unknownMetric(name: string, { type }: CheckType, names: readonly string[]) {
  return apiError('UNKNOWN_METRIC', { metric: quoted(name), type, nearest: nearest(name, names).join(', ') })
}

/** A metric of a report, and the index of its value among the figures of the store's rows; −1 if it comes from the counts. */
export type FigureColumn = MetricName & { readonly figure: number; readonly bounds: { readonly low: number; readonly high: number } | null }

export type FigureColumns = {
  readonly columns: readonly FigureColumn[]
  /** The distinct metrics behind the figures. */
  readonly metrics: readonly string[]
  readonly figures: readonly Figure[]
  /** Whether any column needs the counts. */
  readonly counts: boolean
}

const percentiles: readonly Aggregation[] = ['median', 'p50', 'p90', 'p95', 'p99']

/** Lays out the figures of aggregated metrics; with a confidence (0 to 1), each percentile is followed by the bounds of its interval. */
export function planColumns(names: readonly MetricName[], confidence: number | null = null): FigureColumns {
  const metrics: string[] = []
  const figures: Figure[] = []
  const add = (figure: Figure) => figures.push(figure) - 1
  const columns = names.map(averaged).map((name): FigureColumn => {
    if (name.kind !== 'aggregated') return { figure: -1, bounds: null, ...name }
    const { aggregation } = name
    if (!metrics.includes(name.metric)) metrics.push(name.metric)
    const column = metrics.indexOf(name.metric)
    const figure = add({ column, aggregation, bound: null })
    if (confidence === null || !percentiles.includes(aggregation)) return { figure, bounds: null, ...name }
    const [low, high] = (['low', 'high'] as const).map((side) => add({ column, aggregation, bound: { side, confidence } }))
    return { figure, bounds: { low: low as number, high: high as number }, ...name }
  })
  return { columns, metrics, figures, counts: columns.some(({ kind }) => kind === 'availability' || kind === 'retries') }
}

/** The store's reference to a metric of a check type; null if the type has no metric of that name. */
export function metricRef({ metrics }: CheckType, metric: string): MetricRef | null {
  const declared = metrics[metric]
  return declared ? { metric, perPage: declared.perPage ?? false } : null
}

/** A base metric without a suffix is its average. */
function averaged(name: MetricName): MetricName {
  return name.kind === 'base' ? { ...name, kind: 'aggregated', aggregation: 'avg' } : name
}
