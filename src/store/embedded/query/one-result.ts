import { allTime } from '../../../calendar/window.ts'
import { absentInt } from '../../kernels/numbers.ts'
import { type Part, textAt } from '../../query/parts/part.ts'
import { resultsOf } from '../../query/parts/results-of.ts'
import { mayBeDerived, resultId } from '../../query/parts/stored-result.ts'
import type { FoundResult, Result, ResultQuery } from '../../store.ts'
import type { StoredDays } from './stored-days.ts'
import { resultsAfter, wholeResults } from './whole-results.ts'

/** Finds a result by its id, with its neighbours. Derived ids are not stored: they are derived again for each result. */
export function oneResult(query: ResultQuery, days: StoredDays): Omit<FoundResult, 'evidence'> | null {
  const result = findResult(query, days)
  return result && { result, previous: resultBefore(query, result, days), next: resultAfter(query, result, days) }
}

function findResult({ check, id, startedAt }: ResultQuery, days: StoredDays): Result | null {
  const window = startedAt === null ? allTime : { from: startedAt, to: startedAt }
  for (const day of days(check, window, 'day by day').toReversed()) {
    const part = day.part()
    const row = rowOf({ check, id }, part)
    if (row >= 0) return resultsOf(check, part, [row])[0] ?? null
  }
  return null
}

/** The row of the result with this id; -1 if there is none. */
function rowOf({ check, id }: Pick<ResultQuery, 'check' | 'id'>, part: Part): number {
  const ids = part.texts('id')
  const own = ids.dictionary.indexOf(id)
  if (own >= 0) return ids.codes.indexOf(own)
  if (!mayBeDerived(id)) return -1
  const [times, locations] = [part.numbers('time'), part.texts('location')]
  const isAt = (row: number) =>
    ids.codes[row] === absentInt &&
    resultId(check, { id: null, startedAt: times[row] as number, runLocation: textAt(locations, row) ?? '' }) === id
  for (let row = part.count - 1; row >= 0; row--) if (isAt(row)) return row
  return -1
}

function resultBefore({ check, sameLocation }: ResultQuery, before: Result, days: StoredDays): Result | null {
  const window = { from: allTime.from, to: before.startedAt }
  const location = sameLocation ? before.runLocation : null
  const query = { check, window, location, hasFailures: null, before, rowPage: { offset: 0, limit: 1 } }
  return wholeResults(query, days(check, window, 'day by day'))[0] ?? null
}

function resultAfter({ check, sameLocation }: ResultQuery, after: Result, days: StoredDays): Result | null {
  const window = { from: after.startedAt, to: allTime.to }
  const location = sameLocation ? { location: after.runLocation } : {}
  return resultsAfter({ check, after, limit: 1, ...location }, days(check, window, 'day by day'))[0] ?? null
}
