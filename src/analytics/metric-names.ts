import type { CheckType } from '../checks/define.ts'
import type { Metric, Unit } from '../checks/metric.ts'
import { apiError } from '../errors.ts'
import { type Aggregation, aggregations } from '../store/store.ts'
import { nearest } from '../text/nearest.ts'
import { quoted } from '../text/shortened.ts'

/** A parsed metric name. */
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

/** The metrics that are listed. */
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
