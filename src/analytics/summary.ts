import type { Check } from '../catalogue/catalogue.ts'
import type { AggregateGroup, AggregateQuery, Figure, Window } from '../store/store.ts'
import { buckets, figureOf, planWhole } from './plan.ts'
import { availabilityOf, type Row } from './report.ts'

const maxBuckets = 100

/** The query of a check's entry in a summary of many. */
export function planSummary(check: Check, window: Window): AggregateQuery {
  return planWhole(check, { window, figures: summaryFigures(check).map(({ figure }) => figure), counts: true })
}

/** A figure that does not apply to the type is absent; one without data is null. */
export function summaryEntry(check: Check, groups: readonly AggregateGroup[]): Row {
  const row = groups[0]?.rows[0]
  return {
    checkId: check.id,
    checkType: check.checkType.type,
    availability: row?.counts ? availabilityOf(row.counts) : null,
    ...Object.fromEntries(summaryFigures(check).map(({ name }, index) => [name, row?.values[index] ?? null])),
  }
}

/** The query of a check's availability over time. */
export function planTimeline(check: Check, window: Window, intervalMinutes: number): AggregateQuery {
  const rowPage = { offset: 0, limit: maxBuckets }
  return { ...planSummary(check, window), figures: [], buckets: buckets(intervalMinutes, window), rowPage }
}

/** The availability in each bucket that has results. */
export function summaryTimeline(groups: readonly AggregateGroup[]): readonly Row[] {
  return (groups[0]?.rows ?? []).map(({ start, counts }) => ({
    period: new Date(start ?? 0).toISOString(),
    total: counts?.total ?? 0,
    success: counts?.success ?? 0,
    availability: counts && availabilityOf(counts),
  }))
}

function summaryFigures({ checkType }: Check): readonly { readonly name: string; readonly figure: Figure }[] {
  return Object.entries(checkType.summary).flatMap(([label, { metric, aggregations }]) =>
    aggregations.map((aggregation) => ({
      name: `${label}_${aggregation}`,
      figure: figureOf(checkType, metric, aggregation),
    })),
  )
}
