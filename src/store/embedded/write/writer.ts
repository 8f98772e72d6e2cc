import { allTime } from '../../../calendar/window.ts'
import { dayOf, startOfDay } from '../../../time.ts'
import type { DefinitionRef, RecordedLifetime } from '../../definitions.ts'
import type { LoggedVersion } from '../../documents/document-log.ts'
import { orderedPart, reorderedPart } from '../../query/parts/merged-part.ts'
import type { Part } from '../../query/parts/part.ts'
import type { Expiring, FiledResult } from '../../store.ts'
import type { DefinitionHistory } from '../../transfer/contents.ts'
import { inOrder, missingChanges } from '../../transfer/definition-changes.ts'
import { columnsPart, decodeSegment, type EncodedColumns, encodeSegment, segmentsByDay } from '../columns/encoded-results.ts'
import { openArrivals } from '../disk/arrivals.ts'
import { openForWriting } from '../disk/database.ts'
import { openDefinitions } from '../disk/definitions.ts'
import { openDocumentWriter } from '../disk/documents.ts'
import { isUnwritable } from '../disk/errors.ts'
import { openEvidenceWriter } from '../disk/evidence.ts'
import { openHot, openHotWriter, type Segment } from '../disk/hot.ts'
import { layoutVersion } from '../disk/layout.ts'
import { openRegimeWriter } from '../disk/regimes.ts'
import { openChunkReader, openChunkWriter, sealedPart } from '../disk/sealed-days.ts'
import { openSeries } from '../disk/series.ts'
import { type Database, transaction } from '../disk/sqlite.ts'
import { joinDay } from '../query/stored-days.ts'
import type { Batch } from './batch.ts'
import { type DedupKeys, type DuplicateMask, dedupKeysOf, duplicatesWithin } from './dedup.ts'
import { earliestStart, firstSegment, type HotSeries, openHotDedup, smallResults } from './dedup-hot.ts'
import { openSealedDedup } from './dedup-sealed.ts'
import { lastResults, openLatest } from './latest.ts'

/** Selects the checks to seal: they have at least `minResults` hot results, and the earliest started before `startedBefore`. */
export type SealOrder = {
  readonly startedBefore: number
  readonly minResults: number
  /** Only checks with segments up to this number; otherwise sealing would never end while results arrive. */
  readonly upTo: number
}

/** A day is rewritten only for new results of at least 1 ÷ this of its size, so that busy checks are not rewritten all the time. */
const rewriteRatio = 2
const maxSegmentsPerSeal = 1024
/** With this many small segments, a check is compacted. */
const minSegmentsToCompact = 32
/** Limit of evidence rows dropped in one transaction. */
const maxEvidencePerDrop = 500

/** The single writer. Each method is one transaction. */
export type Writer = ReturnType<typeof openWriter>

export function openWriter(directory: string) {
  const database = openForWriting(directory)
  const chunks = openChunkReader(database)
  const chunkWriter = openChunkWriter(database)
  const hot = openHot(database)
  const hotWriter = openHotWriter(database)
  const series = openSeries(database)
  const regimes = openRegimeWriter(database)
  const definitionsOf = openDefinitions(database)
  const evidenceWriter = openEvidenceWriter(database)
  const arrivals = openArrivals(database)
  const documents = openDocumentWriter(database)
  const hotDedup = openHotDedup(database, hot)
  const sealedDedup = openSealedDedup(database, chunks)
  const latest = openLatest(database, series.checkOf)
  const selectExpiring = database.prepare(
    'SELECT sum(results) AS results, count(DISTINCT series) AS checks, min(day) AS first, max(day) AS last FROM day WHERE day < ?',
  )
  const selectDayBefore = database.prepare('SELECT series, day FROM day WHERE day < ? LIMIT 1')

  /** Runs a transaction; a rollback also resets the state in memory. */
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

  /** Writes the new rows of a batch as one segment; returns the duplicate rows. */
  const appendBatch = ({ check, segment, evidence, arrivedAt }: Batch): number[] => {
    const key = series.keyOf(check)
    const incoming = decode(segment)
    const mask = duplicatesWithin(incoming.keys)
    hotDedup.mark(key, incoming.keys, mask)
    sealedDedup.mark(key, incoming.keys, mask)
    const duplicates = rowsMarked(1, mask)
    if (duplicates.length === mask.length) return duplicates
    const added =
      duplicates.length === 0 ? incoming : decode(encodeSegment(reorderedPart(incoming.part, Int32Array.from(rowsMarked(0, mask)))))
    hotDedup.add(key, hotWriter.add(key, added.body, added.columns), added.keys)
    arrivals.record(key, { startedAt: added.columns.span.to, arrivedAt })
    for (const one of evidence) if (mask[one.row] === 0) evidenceWriter.add(key, one)
    return duplicates
  }

  /** Moves segments of a check into the columns of their days. */
  const sealSegments = (key: number, segments: readonly Segment[]): void => {
    const columns = segments.map(({ columns }) => columns)
    for (const [day, part] of segmentsByDay(columns, allTime)) {
      const [previous] = chunks.days(key, day, day)
      const sealed = previous && sealedPart(previous, allTime, chunks.dayByDay(key))
      chunkWriter.write(key, day, joinDay(sealed, part), previous)
      sealedDedup.add(key, day, part)
      latest.observe(key, part)
    }
    hotWriter.remove(key, segments)
  }

  /** Compaction: replaces the small segments of a check with one. */
  const compactSmall = (key: number): void => {
    const segments = hot.below(key, smallResults)
    const parts = segments.map(({ columns }) => columnsPart(columns, allTime))
    const { body, columns, keys } = decode(encodeSegment(orderedPart(parts)))
    const compacted = transaction(database, () => {
      hotWriter.remove(key, segments)
      return hotWriter.add(key, body, columns)
    })
    hotDedup.remove(key, segments)
    hotDedup.add(key, compacted, keys)
  }

  const isDue = (key: number, hotSeries: HotSeries, { startedBefore, minResults, upTo }: SealOrder): boolean => {
    if (hotSeries.results < minResults || firstSegment(hotSeries) > upTo) return false
    const earliest = earliestStart(hotSeries)
    if (earliest >= startedBefore) return false
    if (minResults === 1) return true
    const [sealed] = chunks.days(key, dayOf(earliest), dayOf(earliest))
    return hotSeries.results * rewriteRatio >= (sealed?.results ?? 0)
  }

  /** Records the history of a check again, with the missing changes. */
  const addChanges = ({ check, changes }: DefinitionHistory): void => {
    const recorded = definitionsOf(check)
    const missing = missingChanges(changes, recorded)
    if (missing.length === 0) return
    const key = series.keyOf(check)
    series.clearDefinition(key)
    regimes.clear(key)
    for (const { seenAt, fingerprint, rhythm } of inOrder([...recorded, ...missing])) {
      series.recordDefinition({ ...check, fingerprint, rhythm }, seenAt)
      regimes.record(key, rhythm, seenAt)
    }
  }

  /** A result without an arrival record arrived when it started. */
  const withArrival = (filed: FiledResult): FiledResult => {
    const { startedAt } = filed.result
    const recorded = arrivals.of(series.keyOf(filed.check))
    return { ...filed, arrivedAt: recorded?.startedAt === startedAt ? recorded.arrivedAt : startedAt }
  }

  return {
    /** Returns the duplicate rows of each batch. */
    append(batches: readonly Batch[]): number[][] {
      return commit(() => batches.map(appendBatch))
    },

    lastSegment: hotWriter.last,

    /** Seals some segments of one check, or else compacts one check; false if there is nothing to do. */
    sealSome(order: SealOrder): boolean {
      for (const [key, hotSeries] of hotDedup.all()) {
        if (!isDue(key, hotSeries, order)) continue
        const segments = hot.of(key, { limit: maxSegmentsPerSeal })
        commit(() => sealSegments(key, segments))
        hotDedup.remove(key, segments)
        return true
      }
      for (const [key, { smallSegments }] of hotDedup.all()) {
        if (smallSegments < minSegmentsToCompact) continue
        compactSmall(key)
        return true
      }
      return false
    },

    /** Drops one sealed day of one check before `firstDay`, the first day to keep; false if there is none. */
    dropOne(firstDay: number): boolean {
      const row = selectDayBefore.get(firstDay)
      if (!row) return false
      transaction(database, () => {
        const [day] = chunks.days(row.series, row.day, row.day)
        if (day) chunkWriter.drop(row.series, day)
        sealedDedup.drop(row.series, row.day)
        evidenceWriter.dropDay(row.series, row.day)
      })
      return true
    },

    /** Drops some evidence of runs before an instant; false if there is none. */
    dropEvidence(before: number): boolean {
      return transaction(database, () => evidenceWriter.dropBefore(before, maxEvidencePerDrop)) > 0
    },

    /** Sealed results of days before `firstDay`, the first day to keep. */
    expiring(firstDay: number): Expiring {
      const { results, checks, first, last } = selectExpiring.get(firstDay)
      return {
        results: results ?? 0,
        checks,
        first: first === null ? null : startOfDay(first),
        last: last === null ? null : startOfDay(last),
      }
    },

    recordDefinitions(checks: readonly DefinitionRef[], now: number): RecordedLifetime[] {
      return commit(() =>
        checks.map((check) => {
          const lifetime = series.recordDefinition(check, now)
          regimes.record(series.keyOf(check), check.rhythm, now)
          return lifetime
        }),
      )
    },

    addDefinitions(histories: readonly DefinitionHistory[]): void {
      commit(() => {
        for (const history of histories) addChanges(history)
      })
    },

    /** False if their position is already taken. */
    appendDocuments(versions: readonly LoggedVersion[]): boolean {
      return transaction(database, () => documents.append(versions))
    },

    /** Drops some old versions of documents; false if there are none. */
    dropDocuments(before: number, maxPerAccount: number): boolean {
      return transaction(database, () => documents.dropSome(before, maxPerAccount))
    },

    /** Results, among them the newest of every check and location. */
    latest(): FiledResult[] {
      const ofHot = [...hotDedup.all().keys()].flatMap((key) => {
        const check = series.checkOf(key)
        const parts = hot.of(key).map(({ columns }) => columnsPart(columns, allTime))
        return parts.flatMap((part) => lastResults(part)).map((result) => ({ check, result }))
      })
      return [...latest.all(), ...ofHot].map(withArrival)
    },

    /** Commits a page without changes; fails if nothing can be written. */
    probe(): void {
      transaction(database, () => database.exec(`PRAGMA user_version = ${layoutVersion}`))
    },

    close(): void {
      emptyLog(database)
      database.close()
    },
  }
}

/**
 * Truncates the WAL. SQLite does so only when the last connection closes, and those of ended threads never close. On a full disk the WAL
 * stays, and is read at the next start.
 */
function emptyLog(database: Database): void {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
}

type DecodedSegment = { readonly body: Uint8Array; readonly columns: EncodedColumns; readonly part: Part; readonly keys: DedupKeys }

function decode(body: Uint8Array): DecodedSegment {
  const columns = decodeSegment(body)
  const part = columnsPart(columns, allTime)
  return { body, columns, part, keys: dedupKeysOf(part) }
}

function rowsMarked(mark: 0 | 1, mask: DuplicateMask): number[] {
  const rows: number[] = []
  for (let row = 0; row < mask.length; row++) if (mask[row] === mark) rows.push(row)
  return rows
}
