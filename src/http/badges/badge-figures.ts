import { type MetricName, planColumns } from '../../analytics/metric-names.ts'
import { planEach, sourceOf } from '../../analytics/plan.ts'
import { availabilityOf } from '../../analytics/report.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import type { QuestionOptions, Store, Window } from '../../store/store.ts'

/** Null if the window has no data. */
export async function loadFigure(store: Store, check: Check, metric: MetricName, window: Window): Promise<number | null> {
  const columns = planColumns([metric])
  const { groups } = await store.aggregate(planEach({ ...columns, counts: true }, [sourceOf(check, columns)], window), badgeOptions(check))
  const row = groups[0]?.rows[0]
  if (!row?.counts || row.counts.total === 0) return null
  if (metric.kind === 'availability') return availabilityOf(row.counts)
  if (metric.kind === 'retries') return row.counts.retries
  return row.values[0] ?? null
}

/** Anyone can request badges, so their queries are charged to a separate caller in the account of the check. */
export function badgeOptions({ account }: Check): QuestionOptions {
  return { caller: { account, key: 'badges' } }
}

export function meanDuration({ checkType: { duration } }: Check): MetricName | null {
  return duration === null ? null : { kind: 'aggregated', name: `${duration}_avg`, metric: duration, aggregation: 'avg' }
}
