import type { MetricName } from '../../analytics/metric-names.ts'
import { figureOf, planWhole } from '../../analytics/plan.ts'
import { presetWindow, type QuickRange } from '../../analytics/quick-range.ts'
import { availabilityOf } from '../../analytics/report.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import type { Figure, Store } from '../../store/store.ts'

/** Loads one figure of a check over one window; null where there is no data. */
export async function loadFigure(store: Store, check: Check, metric: MetricName, range: QuickRange, now: number): Promise<number | null> {
  const window = presetWindow(range, now)
  const groups = await store.aggregate(planWhole(check, { window, figures: figuresOf(check, metric), counts: true }))
  const row = groups[0]?.rows[0]
  if (!row?.counts || row.counts.total === 0) return null
  if (metric.kind === 'availability') return availabilityOf(row.counts)
  if (metric.kind === 'retries') return row.counts.retries
  return row.values[0] ?? null
}

/** The mean duration of a run; null for a type without a duration. */
export function meanDuration({ checkType: { duration } }: Check): MetricName | null {
  return duration === null ? null : { kind: 'aggregated', name: `${duration}_avg`, metric: duration, aggregation: 'avg' }
}

/** A metric without a suffix is its average. */
function figuresOf({ checkType }: Check, metric: MetricName): readonly Figure[] {
  if (!('metric' in metric)) return []
  return [figureOf(checkType, metric.metric, metric.kind === 'base' ? 'avg' : metric.aggregation)]
}
