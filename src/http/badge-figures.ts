import type { MetricName } from '../analytics/metric-names.ts'
import { availabilityOf } from '../analytics/report.ts'
import { presetWindow, type QuickRange } from '../analytics/window.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import type { Figure, Store } from '../store/store.ts'

/** Asks the store for one figure of a check over one window; null where there is no data. */
export async function askFigure(store: Store, check: Check, metric: MetricName, range: QuickRange, now: number): Promise<number | null> {
  const groups = await store.aggregate({
    check: refOf(check),
    window: presetWindow(range, now),
    filter: null,
    groupBy: null,
    paging: { offset: 0, limit: 1 },
    figures: figuresOf(check, metric),
    outcomes: true,
    buckets: null,
  })
  const row = groups[0]?.rows[0]
  if (!row || row.total === 0) return null
  if (metric.kind === 'availability') return availabilityOf(row)
  if (metric.kind === 'retries') return row.retries
  return row.values[0] ?? null
}

/** How long a run of the check takes on average; null for a type whose runs take no time. */
export function meanDuration({ checkType: { duration } }: Check): MetricName | null {
  return duration === null ? null : { kind: 'aggregated', name: `${duration}_avg`, metric: duration, aggregation: 'avg' }
}

/** A bare base is its average. */
function figuresOf({ checkType: { metrics } }: Check, metric: MetricName): readonly Figure[] {
  if (!('metric' in metric)) return []
  const aggregation = metric.kind === 'base' ? 'avg' : metric.aggregation
  return [{ metric: metric.metric, perPage: metrics[metric.metric]?.perPage ?? false, aggregation }]
}
