import { hash } from 'node:crypto'
import { lruCache } from '../../../cache/cache.ts'
import { allTime } from '../../../calendar/window.ts'
import { dayOf, startOfDay } from '../../../time.ts'
import { firstNotBefore } from '../../kernels/row-indexes.ts'
import { joinedPart } from '../../query/parts/joined-part.ts'
import { type Part, textAt } from '../../query/parts/part.ts'
import { parseSlotId } from '../../slot-id.ts'
import { type ChunkReader, sealedPart } from '../disk/sealed-days.ts'
import type { Database } from '../disk/sqlite.ts'
import { type DedupKeys, type DuplicateMask, dedupKeysOf, markDuplicateIds, markDuplicateOrigins } from './dedup.ts'

const maxCachedDays = 64
const maxCachedTimes = 100_000

/**
 * Finds duplicates among sealed results: derived ids by time and location, slot ids by the time of the slot. Other ids are indexed by a
 * hash, as are slot ids whose results started before the slot or days later.
 */
export function openSealedDedup(database: Database, chunks: ChunkReader) {
  const find = database.prepare('SELECT day FROM sealed_id WHERE series = ? AND hash = ?')
  const insert = database.prepare('INSERT OR IGNORE INTO sealed_id (series, hash, day) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM sealed_id WHERE series = ? AND day = ?')
  const dayKeys = lruCache<string, SealedKeys>(maxCachedDays)
  const lastTimes = lruCache<string, number>(maxCachedTimes)

  const keysOf = (series: number, day: number) => dayKeys.getOrCreate(`${series} ${day}`, () => readKeys(chunks, series, day))
  /** Most results are newer than all sealed results of their day, and need no comparison. */
  const lastTimeOf = (series: number, day: number) => lastTimes.getOrCreate(`${series} ${day}`, () => readLastTime(chunks, series, day))

  return {
    /** Marks rows that are already sealed. */
    mark(series: number, keys: DedupKeys, mask: DuplicateMask): void {
      const { times } = keys
      for (let first = 0; first < times.length; ) {
        const day = dayOf(times[first] as number)
        const end = firstNotBefore(times, startOfDay(day + 1), first + 1)
        const newer = firstNotBefore(times, lastTimeOf(series, day) + 1, first)
        markDuplicateOrigins(keys, mask, { first, end: Math.min(newer, end), read: () => keysOf(series, day) })
        first = end
      }
      const isIn = (day: number, id: string) => keysOf(series, day).allIds.has(id)
      markDuplicateIds(
        keys,
        mask,
        (id) =>
          daysOfSlot(id).some(({ day, slotAt }) => lastTimeOf(series, day) >= slotAt && isIn(day, id)) ||
          find.all(series, hashOf(id)).some(({ day }) => isIn(day, id)),
      )
    },
    /** Adds the results that a day was rewritten with. */
    add(series: number, day: number, part: Part): void {
      for (const id of indexedIds(part)) insert.run(series, hashOf(id), day)
      lastTimes.set(`${series} ${day}`, Math.max(lastTimeOf(series, day), part.span.to))
      dayKeys.delete(`${series} ${day}`)
    },
    drop(series: number, day: number): void {
      remove.run(series, day)
      lastTimes.delete(`${series} ${day}`)
      dayKeys.delete(`${series} ${day}`)
    },
  }
}

/** Whether the index has all ids of a sealed day that it must have; a result whose id is missing could be stored twice. */
export function createIndexCheck(database: Database) {
  const find = database.prepare('SELECT 1 FROM sealed_id WHERE series = ? AND hash = ? AND day = ?')
  return (series: number, day: number, part: Part): boolean => {
    for (const id of indexedIds(part)) if (!find.get(series, hashOf(id), day)) return false
    return true
  }
}

/** The ids that only the index can find. */
function* indexedIds(part: Part): Iterable<string> {
  const [times, ids] = [part.numbers('time'), part.texts('id')]
  for (let row = 0; row < part.count; row++) {
    const id = textAt(ids, row)
    if (id !== null && !isFoundBySlot(id, times[row] as number)) yield id
  }
}

/** The days on which the run of a slot may start: the day of the slot, or the next one if the run is late. Empty for other ids. */
function daysOfSlot(id: string): readonly { readonly day: number; readonly slotAt: number }[] {
  const slot = parseSlotId(id)
  if (!slot) return []
  const { slotAt } = slot
  return [dayOf(slotAt), dayOf(slotAt) + 1].map((day) => ({ day, slotAt }))
}

/** Whether a result can be found by its slot: it started at or after the slot, on the same day or the next. */
function isFoundBySlot(id: string, startedAt: number): boolean {
  return daysOfSlot(id).some(({ day, slotAt }) => slotAt <= startedAt && day === dayOf(startedAt))
}

type SealedKeys = DedupKeys & { readonly allIds: ReadonlySet<string> }

function readKeys(chunks: ChunkReader, series: number, day: number): SealedKeys {
  const [sealed] = chunks.days(series, day, day)
  const keys = dedupKeysOf(sealed ? sealedPart(sealed, allTime, chunks.dayByDay(series)) : joinedPart([]))
  return { ...keys, allIds: new Set(keys.ids.dictionary) }
}

function readLastTime(chunks: ChunkReader, series: number, day: number): number {
  const [sealed] = chunks.days(series, day, day)
  if (!sealed) return Number.NEGATIVE_INFINITY
  return sealedPart(sealed, allTime, chunks.dayByDay(series))
    .slice(sealed.results - 1, sealed.results)
    .numbers('time')[0] as number
}

function hashOf(id: string): number {
  return Number.parseInt(hash('sha256', id).slice(0, 12), 16)
}
