import type { Check } from '../../src/catalogue/catalogue.ts'
import { rhythmOf } from '../../src/catalogue/rhythm.ts'
import { holdMs } from '../../src/store/timeline/regime.ts'
import type { Quorum, TimelineState } from '../../src/store/timeline/state.ts'
import type { Piece } from './naive-slo.ts'
import type { TestResult } from './results.ts'
import { type History, naiveState, type Row } from './timeline.ts'

type Change = { readonly at: number; readonly state: TimelineState }

/** The states of a check at each instant of possible change, straight from the definition. */
export function naiveChanges(check: Check, results: readonly TestResult[], quorum: Quorum): readonly Change[] {
  const regime = { from: 0, ...rhythmOf(check) }
  const rows = results.filter((one) => one.check.checkId === check.id).map(rowOf)
  const instants = new Set(rows.flatMap(({ startedAt }) => [startedAt, startedAt + holdMs(regime)]))
  const around = (at: number): History => {
    const recent = rows.filter(({ startedAt }) => startedAt <= at && startedAt > at - 2 * holdMs(regime))
    return { rows: recent, regimes: [regime], quorum, now: at }
  }
  return [...instants].sort((a, b) => a - b).map((at) => ({ at, state: naiveState(around(at), at) }))
}

/** Known time between cuts, in milliseconds, up to the last cut. */
export function timePieces(changes: readonly Change[], cuts: readonly number[], isExcluded: (at: number) => boolean): readonly Piece[] {
  const end = Math.max(...cuts)
  const edges = [...new Set([...changes.map(({ at }) => at), ...cuts])].filter((at) => at <= end).sort((a, b) => a - b)
  let change = -1
  return edges.slice(0, -1).flatMap((at, i) => {
    while ((changes[change + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) change++
    const state = changes[change]?.state ?? 'unknown'
    const counted = (edges[i + 1] as number) - at
    return state === 'unknown' || isExcluded(at) ? [] : [{ at, counted, good: state === 'down' ? 0 : counted }]
  })
}

function rowOf({ result }: TestResult): Row {
  const { startedAt, runLocation, id, hasFailures, isDegraded, error } = result
  return { startedAt, location: runLocation, id, outcome: hasFailures ? 2 : Number(isDegraded), error }
}
