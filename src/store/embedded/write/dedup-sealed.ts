import { hash } from 'node:crypto'
import { dayMs } from '../../../time.ts'
import { firstNotBefore } from '../../kernels/buckets.ts'
import { withoutUnused } from '../../kernels/texts.ts'
import { joinedPart } from '../../query/joined-part.ts'
import type { Part } from '../../query/part.ts'
import { sealedPart } from '../columns/sealed-part.ts'
import { always, type Chunks, dayOf } from '../disk/chunk.ts'
import type { Database } from '../disk/database.ts'
import { type DedupKeys, type DuplicateMask, dedupKeysOf, markDuplicateIds, markDuplicateOrigins } from './dedup.ts'

const cachedDays = 64

/** Knows which results are in sealed days already. An id that is derived needs no index: its time and location tell it. */
export function openSealedDedup(database: Database, chunks: Chunks) {
  const find = database.prepare('SELECT day FROM sealed_id WHERE series = ? AND hash = ?')
  const insert = database.prepare('INSERT OR IGNORE INTO sealed_id (series, hash, day) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM sealed_id WHERE series = ? AND day = ?')
  const byDay = new Map<string, SealedKeys>()
  const newest = new Map<string, number>()

  const ofDay = (series: number, day: number): SealedKeys => {
    const name = `${series} ${day}`
    const keys = byDay.get(name) ?? readKeys(chunks, series, day)
    byDay.delete(name)
    byDay.set(name, keys)
    if (byDay.size > cachedDays) byDay.delete(byDay.keys().next().value as string)
    return keys
  }

  /** Most results are newer than all that is sealed of their day, and need no further look. */
  const newestOf = (series: number, day: number): number => {
    const name = `${series} ${day}`
    const time = newest.get(name) ?? lastTime(chunks, series, day)
    newest.set(name, time)
    return time
  }

  return {
    /** Marks those that are sealed already. */
    mark(series: number, keys: DedupKeys, known: DuplicateMask): void {
      const { times } = keys
      for (let first = 0; first < times.length; ) {
        const day = dayOf(times[first] as number)
        const end = firstNotBefore(times, (day + 1) * dayMs, first)
        const newer = firstNotBefore(times, newestOf(series, day) + 1, first)
        markDuplicateOrigins(keys, known, { first, end: Math.min(newer, end), read: () => ofDay(series, day) })
        first = end
      }
      markDuplicateIds(keys, known, (id) => find.all(series, hashOf(id)).some(({ day }) => ofDay(series, day).allIds.has(id)))
    },
    /** Takes note of results that a day was written anew with. */
    add(series: number, day: number, part: Part): void {
      for (const id of withoutUnused(part.texts('id')).dictionary) insert.run(series, hashOf(id), day)
      newest.set(`${series} ${day}`, Math.max(newestOf(series, day), part.span.to))
      byDay.delete(`${series} ${day}`)
    },
    drop(series: number, day: number): void {
      remove.run(series, day)
      newest.delete(`${series} ${day}`)
      byDay.delete(`${series} ${day}`)
    },
  }
}

type SealedKeys = DedupKeys & { readonly allIds: ReadonlySet<string> }

function readKeys(chunks: Chunks, series: number, day: number): SealedKeys {
  const [sealed] = chunks.days(series, day, day)
  const keys = dedupKeysOf(sealed ? sealedPart(sealed, always, chunks.dayByDay(series)) : joinedPart([]))
  return { ...keys, allIds: new Set(keys.ids.dictionary) }
}

function lastTime(chunks: Chunks, series: number, day: number): number {
  const [sealed] = chunks.days(series, day, day)
  if (!sealed) return Number.NEGATIVE_INFINITY
  return sealedPart(sealed, always, chunks.dayByDay(series))
    .slice(sealed.results - 1, sealed.results)
    .numbers('time')[0] as number
}

function hashOf(id: string): number {
  return Number.parseInt(hash('sha256', id).slice(0, 12), 16)
}
