import { localText } from '../calendar/local-text.ts'
import type { Zone } from '../calendar/zone.ts'
import { utc } from '../calendar/zone.ts'
import type { Check } from '../catalogue/catalogue.ts'
import type { AggregateAnswer, AggregateQuery, AggregateRow, Aggregation, Figure, Window } from '../store/store.ts'
import { metricRef } from './metric-names.ts'
import { planEach, sourceOf } from './plan.ts'
import { type AnswerRow, availabilityOf } from './report.ts'
import { type BucketWidth, bucketsOf } from './window.ts'

const maxBuckets = 100

/** A figure of the summary, such as `responseTime_p95`; each check type has its own metric behind it, or none. */
type SummaryFigure = { readonly label: string; readonly aggregation: Aggregation }

/** The query behind the entries of some checks in a summary. */
export function planSummary(checks: readonly Check[], window: Window): AggregateQuery {
  const labels = labelsOf(checks)
  const figures = figuresOf(checks).map(({ label, aggregation }): Figure => ({ column: labels.indexOf(label), aggregation, bound: null }))
  const sources = checks.map((check) => ({
    ...sourceOf(check, { metrics: [] }),
    columns: labels.map((label) => metricRef(check.checkType, check.checkType.summary[label]?.metric ?? '')),
  }))
  return planEach({ columns: [], metrics: [], figures, counts: true }, sources, window)
}

/** The query behind the availability of some checks, bucket by bucket. */
export function planTimeline(checks: readonly Check[], { window, interval, zone, now }: TimelineOptions): AggregateQuery {
  return {
    ...planEach(
      { columns: [], metrics: [], figures: [], counts: true },
      checks.map((check) => sourceOf(check, { metrics: [] })),
      window,
    ),
    buckets: bucketsOf(interval, zone, window, now),
    rowPage: { offset: 0, limit: maxBuckets },
  }
}

export type TimelineOptions = { readonly window: Window; readonly interval: BucketWidth; readonly zone: Zone; readonly now: number }

/** An entry for each check. A figure that does not apply to the type is absent; one without data is null. */
export function summaryEntries(checks: readonly Check[], answer: AggregateAnswer): readonly AnswerRow[] {
  const figures = figuresOf(checks)
  const rowsOf = rowsByCheck(answer)
  return checks.map((check) => {
    const row = rowsOf(check)[0]
    const own = figures.flatMap(({ label, aggregation }, i) => {
      const applies = check.checkType.summary[label]?.aggregations.some((candidate) => candidate === aggregation)
      return applies ? [[`${label}_${aggregation}`, row?.values[i] ?? null] as const] : []
    })
    const availability = row?.counts ? availabilityOf(row.counts) : null
    return { checkId: check.id, checkType: check.checkType.type, availability, ...Object.fromEntries(own) }
  })
}

/** For each check, its availability in each bucket that has results. */
export function summaryTimelines(
  checks: readonly Check[],
  answer: AggregateAnswer,
  timezone: Zone | null,
): readonly (readonly AnswerRow[])[] {
  const rowsOf = rowsByCheck(answer)
  return checks.map((check) =>
    rowsOf(check).map(({ start, counts }) => ({
      period: localText(start ?? 0, timezone ?? utc),
      total: counts?.total ?? 0,
      success: counts?.success ?? 0,
      availability: counts && availabilityOf(counts),
    })),
  )
}

/** The rows of a check in the answer to a query of `planEach`. */
export function rowsByCheck({ groups }: AggregateAnswer): (check: Check) => readonly AggregateRow[] {
  const byId = new Map(groups.map(({ keys, rows }) => [keys[0], rows]))
  return ({ id }) => byId.get(id) ?? []
}

function labelsOf(checks: readonly Check[]): readonly string[] {
  return [...new Set(checks.flatMap(({ checkType }) => Object.keys(checkType.summary)))]
}

function figuresOf(checks: readonly Check[]): readonly SummaryFigure[] {
  const byName = new Map<string, SummaryFigure>()
  for (const { checkType } of checks)
    for (const [label, { aggregations }] of Object.entries(checkType.summary))
      for (const aggregation of aggregations) byName.set(`${label}_${aggregation}`, { label, aggregation })
  return [...byName.values()]
}
