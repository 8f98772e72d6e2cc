import { compareText } from '../../../text/compare-text.ts'
import type { FoundOutage, OutagePosition, OutagesQuery, StateSource } from '../../state-questions.ts'
import type { CheckRef } from '../../store.ts'
import { checkOutages } from '../../timeline/check-outages.ts'
import type { Regime } from '../../timeline/regime.ts'
import type { DayReader } from '../parts/day.ts'
import { outageFailures } from './outage-failures.ts'
import { stateResults } from './state-results.ts'

/** A query for outages that begin within its window; with `before`, also for earlier ones that touch it. */
export type OutagesInSlice = OutagesQuery & { readonly before: boolean }
type RegimesOf = (source: StateSource) => readonly Regime[]

/** The first outages in the order of the answer. Failing results are read only for these. */
export function foundOutages(query: OutagesInSlice, reader: DayReader, regimesOf: RegimesOf): readonly FoundOutage[] {
  const { after, limit, now, window, before } = query
  const byCheck = query.sources.map((source) => {
    const { check } = source
    const isBehind = (from: number) => after === null || compareOutages(positionOf(check, from), after) > 0
    const accepts = (from: number) => (before || from >= window.from) && isBehind(from)
    return { check, outages: checkOutages({ ...query, accepts, regimes: regimesOf(source) }, stateResults(reader, check)) }
  })
  const positions = byCheck.flatMap(({ check, outages }) => outages.map(({ from }) => positionOf(check, from)))
  const last = positions.sort(compareOutages)[limit - 1]
  return byCheck.flatMap(({ check, outages }) => {
    const own = outages.filter(({ from }) => last === undefined || compareOutages(positionOf(check, from), last) <= 0)
    if (own.length === 0) return []
    const failures = outageFailures(reader, check, own, now)
    return own.map((outage, i): FoundOutage => ({ check, ...outage, ...(failures[i] ?? nothing) }))
  })
}

/** Merges outages that were found in several calls, and keeps the first ones. */
export function firstOutages(found: readonly FoundOutage[], limit: number): readonly FoundOutage[] {
  return found.toSorted((a, b) => compareOutages(positionOf(a.check, a.from), positionOf(b.check, b.from))).slice(0, limit)
}

const nothing = { reason: null, firstResultId: null, lastResultId: null }

const positionOf = ({ checkId }: CheckRef, from: number): OutagePosition => ({ from, checkId })

function compareOutages(a: OutagePosition, b: OutagePosition): number {
  return b.from - a.from || compareText(a.checkId, b.checkId)
}
