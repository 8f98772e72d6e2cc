import type { CheckRef } from '../store.ts'
import { always, type Chunks, dayOf, type SealedDay } from './chunk.ts'
import type { Database } from './database.ts'

/** So many sealed days are remembered; those of the check that was asked for longest ago are forgotten first. */
const mostDays = 20_000

/** Which days of a check are sealed: read once, and again after any of them has changed. */
export function openDirectory(database: Database, chunks: Chunks) {
  const find = database.prepare('SELECT key, edition FROM series WHERE account = ? AND checkId = ?')
  const known = new Map<number, { readonly edition: number; readonly days: readonly SealedDay[] }>()
  let size = 0

  const forget = (series: number) => {
    size -= known.get(series)?.days.length ?? 0
    known.delete(series)
  }
  const remember = (series: number, edition: number, days: readonly SealedDay[]) => {
    forget(series)
    size += days.length
    known.set(series, { edition, days })
    for (const oldest of known.keys()) {
      if (size <= mostDays) break
      forget(oldest)
    }
    return days
  }

  return (check: CheckRef, fromDay: number, toDay: number) => {
    const found: { key: number; edition: number } | undefined = find.get(check.account, check.checkId)
    if (!found) return undefined
    const { key: series, edition } = found
    const before = known.get(series)
    const days = remember(
      series,
      edition,
      before?.edition === edition ? before.days : chunks.days(series, dayOf(always.from), dayOf(always.to)),
    )
    return { series, days: days.filter(({ day }) => day >= fromDay && day <= toDay) }
  }
}
