import type { OutageTotals, OutageTotalsQuery, StateSource } from '../../state-questions.ts'
import { checkOutages } from '../../timeline/check-outages.ts'
import type { Regime } from '../../timeline/regime.ts'
import type { DayReader } from '../parts/day.ts'
import { stateResults } from './state-results.ts'

/** Counts all outages that touch the window, without reading the errors and ids of failing results. */
export function outageTotals(
  query: OutageTotalsQuery,
  reader: DayReader,
  regimesOf: (source: StateSource) => readonly Regime[],
): OutageTotals {
  const all = { ...query, limit: Number.POSITIVE_INFINITY, accepts: () => true }
  return addTotals(
    query.sources.map((source) => {
      const outages = checkOutages({ ...all, regimes: regimesOf(source) }, stateResults(reader, source.check))
      return { outages: outages.length, ms: outages.reduce((sum, { from, to }) => sum + (to ?? query.now) - from, 0) }
    }),
  )
}

export function addTotals(all: readonly OutageTotals[]): OutageTotals {
  return all.reduce((sum, { outages, ms }) => ({ outages: sum.outages + outages, ms: sum.ms + ms }), { outages: 0, ms: 0 })
}
