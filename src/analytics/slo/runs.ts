import type { Span } from '../../calendar/window.ts'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { latencyMetric } from '../../catalogue/policies/latency-metric.ts'
import type { Objective } from '../../catalogue/policies/policies.ts'
import type { AggregateAnswer, AggregateQuery, AggregateRow, CheckSource } from '../../store/store.ts'
import { metricRef } from '../metric-names.ts'
import type { GoodOfCounted, SloMeasurements } from './measurements.ts'
import { cutsOf, measuredWindow, measurementsOf, piecesOutside } from './pieces.ts'
import type { SloPlan } from './window.ts'

/** Checks that have the same maintenance, so that one query measures them. `maintenance` ascends and does not overlap. */
export type SloGroup = { readonly checks: readonly Check[]; readonly maintenance: readonly Span[] }

/** The query for the runs of a plan: one row for each span between its cuts that has results. */
export function planSloRuns(plan: SloPlan, objective: Objective, { checks, maintenance }: SloGroup): AggregateQuery {
  const edges = cutsOf(plan, maintenance)
  const isLatency = objective.kind === 'latency'
  return {
    sources: checks.map((check) => sourceOf(check, objective)),
    window: measuredWindow(plan),
    filter: null,
    groupBy: [],
    figures: [],
    counts: !isLatency,
    buckets: { edges, widthMs: null },
    fill: null,
    histogram: isLatency ? { column: 0, bounds: [objective.thresholdMs] } : null,
    rowPage: { offset: 0, limit: edges.length },
    groupPage: null,
  }
}

/** Converts the answer to `planSloRuns`; runs in maintenance do not count. */
export function sloRuns(plan: SloPlan, { maintenance }: SloGroup, { groups }: AggregateAnswer): SloMeasurements {
  const pieces = groups.flatMap(({ rows }) => rows.map((row) => ({ start: row.start ?? 0, ...tallyOf(row) })))
  return measurementsOf(plan, piecesOutside(maintenance, pieces))
}

function sourceOf(check: Check, objective: Objective): CheckSource {
  const metric = objective.kind === 'latency' ? latencyMetric(objective.metric, check.checkType) : null
  const columns = objective.kind === 'latency' ? [metric === null ? null : metricRef(check.checkType, metric)] : []
  return { check: refOf(check), columns, labels: [] }
}

/** By the counts of runs, or by the values up to and above the threshold. */
function tallyOf({ counts, histogram }: AggregateRow): GoodOfCounted {
  const [good = 0, bad = 0] = histogram ?? []
  return counts ? { counted: counts.total, good: counts.success } : { counted: good + bad, good }
}
