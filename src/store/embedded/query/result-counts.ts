import { lruCache } from '../../../cache/lru-cache.ts'
import { allTime, dayOf } from '../../day-number.ts'
import type { CheckRef, Window } from '../../store.ts'
import { openDays, type SealedDay } from '../disk/days.ts'
import type { Database } from '../disk/sqlite.ts'

/** The results of a check by sealed day, and those of its segments. */
type Counts = { readonly edition: number; readonly segments: number; readonly days: readonly SealedDay[]; readonly hot: number }

export type ResultCounts = {
  readonly of: (check: CheckRef, window: Window) => number
  /** How many results of a check are not sealed yet. */
  readonly hot: (check: CheckRef) => number
  /** How many results of a check are committed now; exact. */
  readonly committed: (check: CheckRef) => number
}

const maxCachedDays = 200_000

/** Counts the results of checks without reading them: exact for whole sealed days, all hot results as if within the window. */
export function openResultCounts(database: Database): ResultCounts {
  const select = database.prepare('SELECT key, edition, segments FROM series WHERE account = ? AND checkId = ?')
  const selectHot = database.prepare('SELECT total(results) AS results FROM hot WHERE series = ?')
  const selectCommitted = database.prepare(`SELECT
    (SELECT total(results) FROM day WHERE day.series = series.key) + (SELECT total(results) FROM hot WHERE hot.series = series.key) AS results
    FROM series WHERE account = ? AND checkId = ?`)
  const daysOf = openDays(database)
  const cache = lruCache<number, Counts>(maxCachedDays, ({ days }) => days.length + 1)

  const countsOf = ({ account, checkId }: CheckRef): Counts | undefined => {
    const { key, edition, segments } = select.get(account, checkId) ?? {}
    if (key === undefined) return undefined
    const cached = cache.get(key)
    const current = cached && cached.edition === edition ? cached : null
    if (current && current.segments === segments) return current
    const days = current?.days ?? daysOf(key, dayOf(allTime.from), dayOf(allTime.to))
    const counts = { edition, segments, days, hot: selectHot.get(key).results }
    cache.set(key, counts)
    return counts
  }

  return {
    of(check: CheckRef, { from, to }: Window) {
      const { days, hot } = countsOf(check) ?? { days: [], hot: 0 }
      return days.reduce((total, { day, results }) => (day >= dayOf(from) && day <= dayOf(to) ? total + results : total), hot)
    },
    hot: (check: CheckRef) => countsOf(check)?.hot ?? 0,
    committed: ({ account, checkId }: CheckRef) => selectCommitted.get(account, checkId)?.results ?? 0,
  }
}
