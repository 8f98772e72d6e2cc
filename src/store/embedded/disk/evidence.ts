import { startOfDay } from '../../../time.ts'
import type { CheckRef, Window } from '../../store.ts'
import type { EvidenceSize } from '../../transfer/contents.ts'
import { checksum, type Database, verify } from './sqlite.ts'

export type EvidenceRow = { readonly startedAt: number; readonly resultId: string; readonly body: Uint8Array }

type StoredRow = EvidenceRow & { readonly series: number; readonly crc: number }

export function openEvidence(database: Database) {
  const select = database.prepare(`
    SELECT series, startedAt, resultId, crc, body FROM evidence JOIN series ON key = series
    WHERE account = ? AND checkId = ? AND startedAt = ? AND resultId = ?
  `)
  const selectSizes = database.prepare(`
    SELECT startedAt, resultId, length(body) AS bytes FROM evidence JOIN series ON key = series
    WHERE account = ? AND checkId = ? AND startedAt BETWEEN ? AND ?
  `)
  const selectAll = database.prepare('SELECT series, startedAt, resultId, crc, body FROM evidence WHERE series = ?')
  return {
    of({ account, checkId }: CheckRef, { startedAt, id }: { readonly startedAt: number; readonly id: string }): Uint8Array | null {
      const row: StoredRow | undefined = select.get(account, checkId, startedAt, id)
      return row ? verified(row) : null
    },
    /** Which results of a check have evidence. */
    within: ({ account, checkId }: CheckRef, { from, to }: Window): readonly EvidenceSize[] => selectSizes.all(account, checkId, from, to),
    /** Throws if any evidence of the check is damaged. */
    verifyAll(series: number): void {
      for (const row of selectAll.iterate(series)) verified(row)
    },
  }
}

export function openEvidenceWriter(database: Database) {
  const insert = database.prepare('INSERT OR REPLACE INTO evidence (series, startedAt, resultId, crc, body) VALUES (?, ?, ?, ?, ?)')
  const removeDay = database.prepare('DELETE FROM evidence WHERE series = ? AND startedAt >= ? AND startedAt < ?')
  const removeSome = database.prepare(
    'DELETE FROM evidence WHERE rowid IN (SELECT rowid FROM evidence WHERE startedAt < ? ORDER BY startedAt LIMIT ?)',
  )
  return {
    add(series: number, { startedAt, resultId, body }: EvidenceRow): void {
      insert.run(series, startedAt, resultId, checksum(evidenceKey(series, startedAt, resultId), body), body)
    },
    dropDay(series: number, day: number): void {
      removeDay.run(series, startOfDay(day), startOfDay(day + 1))
    },
    /** Drops at most `limit` rows of runs before an instant; returns how many. */
    dropBefore: (instant: number, limit: number): number => Number(removeSome.run(instant, limit).changes),
  }
}

function verified({ series, startedAt, resultId, body, crc }: StoredRow): Uint8Array {
  verify({ key: evidenceKey(series, startedAt, resultId), finding: 'the evidence of a run is damaged' }, body, crc)
  return body
}

const evidenceKey = (series: number, startedAt: number, resultId: string) => `${series} evidence ${startedAt} ${resultId} `
