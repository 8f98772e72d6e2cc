import { lruCache } from '../../../cache/cache.ts'
import { dayOf } from '../../../time.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { Database } from '../disk/sqlite.ts'

/** Number of hot results of a check, valid for this edition and number of segments. */
type HotCount = { readonly key: number; readonly edition: number; readonly segments: number; readonly results: number }

type ResultCounts = {
  readonly of: (check: CheckRef, window: Window) => number
  /** Number of results of a check that are not sealed yet. */
  readonly hot: (check: CheckRef) => number
  /** Number of results of a check that are committed now; exact. */
  readonly committed: (check: CheckRef) => number
}

const maxCachedChecks = 10_000

/**
 * Counts the results of checks without reading them: exact for whole sealed days, all hot results as if they were in the window. Runs on
 * the main thread, so it reads only the days of the window.
 */
export function openResultCounts(database: Database): ResultCounts {
  const select = database.prepare('SELECT key, edition, segments FROM series WHERE account = ? AND checkId = ?')
  const selectHot = database.prepare('SELECT total(results) AS results FROM hot WHERE series = ?')
  const selectSealed = database.prepare('SELECT total(results) AS results FROM day WHERE series = ? AND day BETWEEN ? AND ?')
  const selectCommitted = database.prepare(`SELECT
    (SELECT total(results) FROM day WHERE day.series = series.key) + (SELECT total(results) FROM hot WHERE hot.series = series.key) AS results
    FROM series WHERE account = ? AND checkId = ?`)
  const cache = lruCache<number, HotCount>(maxCachedChecks)

  const hotOf = ({ account, checkId }: CheckRef): HotCount | undefined => {
    const row = select.get(account, checkId)
    if (!row) return undefined
    const cached = cache.get(row.key)
    if (cached && cached.edition === row.edition && cached.segments === row.segments) return cached
    const counted = { ...row, results: selectHot.get(row.key).results }
    cache.set(row.key, counted)
    return counted
  }

  return {
    of(check: CheckRef, { from, to }: Window) {
      const hot = hotOf(check)
      return hot ? selectSealed.get(hot.key, dayOf(from), dayOf(to)).results + hot.results : 0
    },
    hot: (check: CheckRef) => hotOf(check)?.results ?? 0,
    committed: ({ account, checkId }: CheckRef) => selectCommitted.get(account, checkId)?.results ?? 0,
  }
}
