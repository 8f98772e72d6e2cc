import type { CheckType } from '../checks/define.ts'
import type { Aggregation, Figure, MetricRef } from '../store/store.ts'
import type { MetricName } from './metric-names.ts'

/** A metric of a report, and the index of its value among the figures of the store's rows; −1 where it comes from the counts. */
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

/** How the store knows a metric of a check type; null where the type has none of that name. */
export function metricRef({ metrics }: CheckType, metric: string): MetricRef | null {
  const declared = metrics[metric]
  return declared ? { metric, perPage: declared.perPage ?? false } : null
}

/** A base metric without a suffix is its average. */
function averaged(name: MetricName): MetricName {
  return name.kind === 'base' ? { ...name, kind: 'aggregated', aggregation: 'avg' } : name
}
