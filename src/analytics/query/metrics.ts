import type { CheckType } from '../../checks/define.ts'
import { type Metric, milliseconds } from '../../checks/metric.ts'
import { apiError } from '../../errors.ts'
import { type Aggregation, aggregations, type MetricRef } from '../../store/store.ts'
import { nearest } from '../../text/nearest.ts'
import { quoted } from '../../text/shortened.ts'
import { describeMetric, type MetricName, metricRef } from '../metric-names.ts'

/** The duration of a run: each type defines its own metric for it, or none. */
const duration = 'duration'

/** A metric whose values are counted between bounds. */
export type HistogramName = { readonly kind: 'histogram'; readonly name: string; readonly metric: string }

/** Finds a metric that all of these types have; `duration` is the exception, since a type without one adds nothing to it. */
export function queryMetric(name: string, types: readonly CheckType[], allTypes: readonly CheckType[]): MetricName | HistogramName {
  if (name === 'availability' || name === 'retries') return { kind: name, name }
  const { metric, suffix } = split(name)
  const chosen = types.length > 0 ? types : allTypes
  const bases = [duration, ...new Set(chosen.flatMap((type) => Object.keys(type.metrics)))]
  if (!bases.includes(metric) || !isSuffix(suffix)) throw unknownMetric(name, chosen, bases)
  const lacking = metric === duration || types.length === 0 ? [] : types.filter((type) => !Object.hasOwn(type.metrics, metric))
  if (lacking.length > 0) throw apiError('METRIC_NOT_SHARED', { metric: quoted(name), types: lacking.map(({ type }) => type).join(', ') })
  if (suffix === 'histogram') return { kind: 'histogram', name, metric }
  return suffix === null ? { kind: 'base', name, metric } : { kind: 'aggregated', name, metric, aggregation: suffix }
}

/** The store's reference to a queried metric, for one check type. */
export function queryMetricRef(checkType: CheckType, metric: string): MetricRef | null {
  return metricRef(checkType, metric === duration ? (checkType.duration ?? '') : metric)
}

export function describeQueryMetric(metric: MetricName | HistogramName, types: readonly CheckType[]): Pick<Metric, 'unit' | 'label'> {
  if ('metric' in metric && metric.metric === duration) return milliseconds('Duration')
  const name: MetricName = metric.kind === 'histogram' ? { ...metric, kind: 'base' } : metric
  const [first] = types.filter((type) => !('metric' in metric) || Object.hasOwn(type.metrics, metric.metric))
  if (!first) throw new TypeError(`no type has ${metric.name}`)
  return describeMetric(first, name)
}

type Suffix = Aggregation | 'histogram' | null

function split(name: string): { readonly metric: string; readonly suffix: string | null } {
  const at = name.lastIndexOf('_')
  return at < 0 ? { metric: name, suffix: null } : { metric: name.slice(0, at), suffix: name.slice(at + 1) }
}

function isSuffix(suffix: string | null): suffix is Suffix {
  return suffix === null || suffix === 'histogram' || aggregations.some((aggregation) => aggregation === suffix)
}

function unknownMetric(name: string, types: readonly CheckType[], bases: readonly string[]) {
  const names = ['availability', 'retries', ...bases.flatMap((base) => [base, ...aggregations.map((suffix) => `${base}_${suffix}`)])]
  const type = types.length > 3 ? 'the chosen' : types.map((each) => each.type).join(', ')
  return apiError('UNKNOWN_METRIC', { metric: quoted(name), type, nearest: nearest(name, names).join(', ') })
}
