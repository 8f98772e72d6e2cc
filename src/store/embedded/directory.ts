import type { CheckRef } from '../store.ts'
import { always, type Chunks, dayOf, type SealedDay } from './chunk.ts'
import type { Database } from './database.ts'
import { recentlyUsed } from './recently-used.ts'

const mostDays = 20_000

/** Which days of a check are sealed: read once, and again after any of them has changed. */
export function openDirectory(database: Database, chunks: Chunks) {
  const find = database.prepare('SELECT key, edition FROM series WHERE account = ? AND checkId = ?')
  const known = recentlyUsed<number, { readonly edition: number; readonly days: readonly SealedDay[] }>(mostDays, ({ days }) => days.length)

  return (check: CheckRef, fromDay: number, toDay: number) => {
    const found: { key: number; edition: number } | undefined = find.get(check.account, check.checkId)
    if (!found) return undefined
    const { key: series, edition } = found
    let entry = known.get(series)
    if (entry?.edition !== edition) {
      entry = { edition, days: chunks.days(series, dayOf(always.from), dayOf(always.to)) }
      known.set(series, entry)
    }
    return { series, days: entry.days.filter(({ day }) => day >= fromDay && day <= toDay) }
  }
}
