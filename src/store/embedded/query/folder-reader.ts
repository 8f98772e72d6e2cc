import { allTime } from '../../../calendar/window.ts'
import { isBounded } from '../../admission/cost.ts'
import { groupFailures } from '../../failures/group.ts'
import { aggregate } from '../../query/aggregate.ts'
import { createScratchBuffer } from '../../query/grid/partition.ts'
import { foundOutages } from '../../query/outages/found-outages.ts'
import { outageTotals } from '../../query/outages/outage-totals.ts'
import { stateResults } from '../../query/outages/state-results.ts'
import type { DayReader } from '../../query/parts/day.ts'
import type { Reader } from '../../query/question-reader.ts'
import { raw } from '../../query/raw.ts'
import { totalsOf } from '../../query/stored-totals.ts'
import { packAnswer } from '../../questions/calls.ts'
import type { StateSource } from '../../state-questions.ts'
import { sweepStates } from '../../timeline/check-states.ts'
import type { Regime } from '../../timeline/regime.ts'
import { openForReading } from '../disk/database.ts'
import { openEvidence } from '../disk/evidence.ts'
import { openRegimes } from '../disk/regimes.ts'
import { readSnapshot } from '../disk/sqlite.ts'
import { oneResult } from './one-result.ts'
import { openStoredDays } from './stored-days.ts'
import { resultsAfter, wholeResults } from './whole-results.ts'

/** Answers questions on its own connection, in the thread of the caller, each from one snapshot. */
type EmbeddedReader = InThisThread<Reader> & { close(): void }
type InThisThread<Module> = {
  readonly [Name in keyof Module]: Module[Name] extends (...args: infer Args) => infer Value ? (...args: Args) => Awaited<Value> : never
}

/** `checkpoint` is called regularly, such as before each column of a day is read, and may throw to cancel the question. */
export function openFolderReader(directory: string, cacheBytes: number, checkpoint: () => void = () => {}): EmbeddedReader {
  const database = openForReading(directory)
  const days = openStoredDays(database, cacheBytes, checkpoint)
  const reader: DayReader = {
    days,
    hasBefore: (check, instant) => days(check, { from: allTime.from, to: instant - 1 }, 'day by day').length > 0,
  }
  const evidence = openEvidence(database)
  const recordedRegimes = openRegimes(database)
  /** The current rhythm also applies before the first recorded one. */
  const regimesOf = ({ check, rhythm }: StateSource): readonly Regime[] => [
    { from: Number.NEGATIVE_INFINITY, ...rhythm },
    ...recordedRegimes(check),
  ]
  const buffers = { values: createScratchBuffer(), partitioned: createScratchBuffer() }
  return {
    aggregate: (query) =>
      readSnapshot(database, () => {
        const sources = query.sources.map((source) => ({
          source,
          parts: days(source.check, query.window, 'all at once').map((day) => day.part()),
        }))
        return packAnswer(aggregate(query, sources, buffers))
      }),
    raw: (query) =>
      readSnapshot(database, () => raw(query, days(query.check, query.window, isBounded(query) ? 'day by day' : 'all at once'))),
    results: (query) => {
      const to = query.before ? Math.min(query.window.to, query.before.startedAt) : query.window.to
      return readSnapshot(database, () => wholeResults(query, days(query.check, { ...query.window, to }, 'day by day')))
    },
    result: (query) =>
      readSnapshot(database, () => {
        const found = oneResult(query, days)
        return found && { ...found, evidence: evidence.of(query.check, found.result) }
      }),
    scan: (query) => {
      const from = query.after ? Math.max(query.window.from, query.after.startedAt) : query.window.from
      return readSnapshot(database, () => resultsAfter(query, days(query.check, { ...query.window, from }, 'day by day')))
    },
    states: (query) =>
      readSnapshot(database, () =>
        query.sources.map((source) => sweepStates({ ...query, ...source, regimes: regimesOf(source) }, stateResults(reader, source.check))),
      ),
    outages: (query) => readSnapshot(database, () => foundOutages(query, reader, regimesOf)),
    outageTotals: (query) => readSnapshot(database, () => outageTotals(query, reader, regimesOf)),
    failures: ({ sources, window, ...limits }) =>
      readSnapshot(database, () =>
        groupFailures(
          sources.map((check) => ({ check, days: days(check, window, 'day by day') })),
          { ...limits, checkpoint },
        ),
      ),
    totals: ({ check, duration, window }) => readSnapshot(database, () => totalsOf(days(check, window, 'day by day'), duration)),
    close: () => database.close(),
  }
}
