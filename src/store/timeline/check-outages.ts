import type { OutagesQuery } from '../state-questions.ts'
import { type NamedResults, sweepCheck } from './check-states.ts'
import { feed } from './feed.ts'
import type { IntervalSink } from './interval.ts'
import { collectOutages, type Outage } from './outages.ts'
import type { Regime } from './regime.ts'

type OutagesOptions = Omit<OutagesQuery, 'sources' | 'after'> & {
  readonly regimes: readonly Regime[]
  /** Whether an outage that begins at this time is wanted. */
  readonly accepts: (from: number) => boolean
}

/** The newest outages of one check that touch the window, ascending. */
export function checkOutages(options: OutagesOptions, results: NamedResults): readonly Outage[] {
  const { regimes, quorum, window, now, minMs, limit, accepts, ongoing, locations: places } = options
  const { onInterval, onDown, outages } = collectOutages({
    window,
    nameOf: results.nameOf,
    accepts: ({ from, to, locations }, end) =>
      end - from >= minMs &&
      accepts(from) &&
      (ongoing ?? to === null) === (to === null) &&
      (places === undefined || locations.some((location) => places.includes(location))),
    newest: limit,
  })
  const sweepWith = (sink: IntervalSink) => sweepCheck({ regimes, quorum, now, onInterval: sink, ...(sink === onInterval && { onDown }) })
  feed(sweepWith(onInterval), results, { regimes, window, now, wholeOutages: true, probe: () => sweepWith(() => {}) })
  return outages.slice(-limit)
}
