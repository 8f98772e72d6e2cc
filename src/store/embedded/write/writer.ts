import type { DefinitionRef, Lifetime } from '../../definitions.ts'
import { orderedPart, reorderedPart } from '../../query/merged-part.ts'
import type { Part } from '../../query/part.ts'
import type { FiledResult } from '../../store.ts'
import { type Columns, columnsPart } from '../columns/columns.ts'
import { sealedPart } from '../columns/sealed-part.ts'
import { decodeSegment, encodeSegment, segmentsByDay } from '../columns/segment.ts'
import { always, dayOf, openChunks, openChunkWriter } from '../disk/chunk.ts'
import { openForWriting, transaction } from '../disk/database.ts'
import { openHot, openHotWriter, type Segment } from '../disk/hot.ts'
import { openSeries } from '../disk/series.ts'
import { joinDay } from '../query/days.ts'
import type { Batch } from './batch.ts'
import { type DedupKeys, type DuplicateMask, dedupKeysOf, duplicatesWithin } from './dedup.ts'
import { firstOf, type HotSeries, oldestOf, openHotDedup, smallResults } from './dedup-hot.ts'
import { openSealedDedup } from './dedup-sealed.ts'
import { lastResults, openLatest } from './latest.ts'

/** Seals results of a check that has at least so many hot ones, the oldest of which started before a time. */
export type SealOrder = {
  readonly startedBefore: number
  readonly atLeast: number
  /** Only where there are segments up to this one: else there is no end to it while results come in. */
  readonly upTo: number
}

/** A day is written anew for no less than this part of what it holds, so that busy checks are not rewritten all the time. */
const rewriteRatio = 2
/** So many segments are sealed in one go. */
const maxSegmentsPerSeal = 1024
/** So many small segments of a check are laid together. */
const smallSegmentsToCompact = 32

/** The one that writes. Each method is one transaction: it happens wholly or not at all. */
export type Writer = ReturnType<typeof openWriter>

export function openWriter(directory: string) {
  const database = openForWriting(directory)
  const chunks = openChunks(database)
  const chunkWriter = openChunkWriter(database)
  const readHot = openHot(database)
  const hot = openHotWriter(database)
  const series = openSeries(database)
  const hotDedup = openHotDedup(database, readHot)
  const sealedDedup = openSealedDedup(database, chunks)
  const latest = openLatest(database, series.checkOf)
  const daysBefore = database.prepare('SELECT series, day FROM day WHERE day < ? LIMIT 1')

  /** All of `work` or nothing of it, also of what is remembered of it. */
  const commit = <T>(work: () => T): T => {
    try {
      return transaction(database, work)
    } catch (error) {
      hotDedup.invalidate()
      series.reload()
      latest.reload()
      throw error
    }
  }

  /** Keeps those of a batch that are new, as one segment; returns the places of the others. */
  const appendBatch = ({ check, segment }: Batch): number[] => {
    const key = series.keyOf(check)
    const incoming = unpack(segment)
    const mask = duplicatesWithin(incoming.keys)
    hotDedup.mark(key, incoming.keys, mask)
    sealedDedup.mark(key, incoming.keys, mask)
    const duplicates = rowsMarked(1, mask)
    if (duplicates.length === mask.length) return duplicates
    const fresh =
      duplicates.length === 0 ? incoming : unpack(encodeSegment(reorderedPart(incoming.part, Int32Array.from(rowsMarked(0, mask)))))
    hotDedup.add(key, hot.add(key, fresh.body, fresh.columns), fresh.keys)
    return duplicates
  }

  /** Moves segments of a check into the columns of their days. */
  const sealSegments = (key: number, segments: readonly Segment[]): void => {
    const columns = segments.map(({ columns }) => columns)
    for (const [day, part] of segmentsByDay(columns, always)) {
      const [before] = chunks.days(key, day, day)
      chunkWriter.write(key, day, joinDay(before && sealedPart(before, always, chunks.dayByDay(key)), part), before)
      sealedDedup.add(key, day, part)
      latest.observe(key, part)
    }
    hot.remove(key, segments)
  }

  /** Makes one segment of the small ones of a check. */
  const compactSmall = (key: number): void => {
    const segments = readHot.of(key, { below: smallResults })
    const parts = segments.map(({ columns }) => columnsPart(columns, always))
    const { body, columns, keys } = unpack(encodeSegment(orderedPart(parts)))
    const gathered = transaction(database, () => {
      hot.remove(key, segments)
      return hot.add(key, body, columns)
    })
    hotDedup.remove(key, segments)
    hotDedup.add(key, gathered, keys)
  }

  const isDue = (key: number, held: HotSeries, { startedBefore, atLeast, upTo }: SealOrder): boolean => {
    if (held.results < atLeast || firstOf(held) > upTo) return false
    const oldest = oldestOf(held)
    if (oldest >= startedBefore) return false
    return atLeast === 1 || held.results * rewriteRatio >= (chunks.days(key, dayOf(oldest), dayOf(oldest))[0]?.results ?? 0)
  }

  return {
    /** For each batch: the places of what was there already. */
    append(batches: readonly Batch[]): number[][] {
      return commit(() => batches.map(appendBatch))
    },

    /** The number of the segment that was written last. */
    lastSegment: hot.last,

    /** Seals some segments of one check, or else lays small ones of one together; false where neither is to be done. */
    sealSome(order: SealOrder): boolean {
      for (const [key, held] of hotDedup.all()) {
        if (!isDue(key, held, order)) continue
        const segments = readHot.of(key, { most: maxSegmentsPerSeal })
        commit(() => sealSegments(key, segments))
        hotDedup.remove(key, segments)
        return true
      }
      for (const [key, { smallSegments }] of hotDedup.all()) {
        if (smallSegments < smallSegmentsToCompact) continue
        compactSmall(key)
        return true
      }
      return false
    },

    /** Drops one sealed day of one check that lies before the first day to keep; false where there is none. */
    dropOne(firstDay: number): boolean {
      const found = daysBefore.get(firstDay)
      if (!found) return false
      transaction(database, () => {
        const [day] = chunks.days(found.series, found.day, found.day)
        if (day) chunkWriter.drop(found.series, day)
        sealedDedup.drop(found.series, found.day)
      })
      return true
    },

    recordDefinitions(checks: readonly DefinitionRef[], now: number): Lifetime[] {
      return commit(() => checks.map((check) => series.recordDefinition(check, now)))
    },

    /** Results that include the newest of every check and location. */
    latest(): FiledResult[] {
      const ofHot = [...hotDedup.all().keys()].flatMap((key) => {
        const check = series.checkOf(key)
        const parts = readHot.of(key).map(({ columns }) => columnsPart(columns, always))
        return parts.flatMap((part) => lastResults(part)).map((result) => ({ check, result }))
      })
      return [...latest.all(), ...ofHot]
    },

    close(): void {
      database.close()
    },
  }
}

/** A segment, and what there is to know of its results. */
type Unpacked = { readonly body: Uint8Array; readonly columns: Columns; readonly part: Part; readonly keys: DedupKeys }

function unpack(body: Uint8Array): Unpacked {
  const columns = decodeSegment(body)
  const part = columnsPart(columns, always)
  return { body, columns, part, keys: dedupKeysOf(part) }
}

function rowsMarked(state: 0 | 1, known: DuplicateMask): number[] {
  const rows: number[] = []
  for (let row = 0; row < known.length; row++) if (known[row] === state) rows.push(row)
  return rows
}
