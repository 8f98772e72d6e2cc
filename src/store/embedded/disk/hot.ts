import { decodeSegment, type EncodedColumns } from '../columns/encoded-results.ts'
import { checksum, type Database, verify } from './sqlite.ts'

/** Results of one check from one commit, not yet sealed. */
export type Segment = { readonly number: number; readonly columns: EncodedColumns }

export function openHot(database: Database) {
  const selectSome = database.prepare('SELECT segment, body, crc FROM hot WHERE series = ? ORDER BY segment LIMIT ?')
  const selectSmall = database.prepare('SELECT segment, body, crc FROM hot WHERE series = ? AND results < ? ORDER BY segment')
  const selectOne = database.prepare('SELECT segment, body, crc FROM hot WHERE segment = ?')
  const read = (series: number, { segment, body, crc }: { segment: number; body: Uint8Array; crc: number }): Segment => {
    verify({ key: segmentKey(series, segment), finding: 'unsealed results are damaged' }, body, crc)
    return { number: segment, columns: decodeSegment(body) }
  }
  return {
    one: (series: number, segment: number): Segment => read(series, selectOne.get(segment)),
    /** The segments of a check, oldest first. */
    of: (series: number, { limit = -1 } = {}): Segment[] => selectSome.all(series, limit).map((row) => read(series, row)),
    /** Segments with fewer than `results` results. */
    below: (series: number, results: number): Segment[] => selectSmall.all(series, results).map((row) => read(series, row)),
  }
}

export type Hot = ReturnType<typeof openHot>

/** Writes segments, each one row, and removes them once they are sealed. */
export function openHotWriter(database: Database) {
  const insert = database.prepare('INSERT INTO hot (series, segment, firstAt, results, body, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const update = database.prepare('UPDATE hot SET body = ?, crc = ? WHERE segment = ?')
  const remove = database.prepare('DELETE FROM hot WHERE segment = ?')
  const addToCount = database.prepare('UPDATE series SET segments = segments + ? WHERE key = ?')
  let last: number = database.prepare('SELECT coalesce(max(segment), 0) AS segment FROM hot').get().segment
  return {
    last: (): number => last,
    add(series: number, body: Uint8Array, columns: EncodedColumns): Segment {
      last++
      insert.run(series, last, columns.span.from, columns.count, body, checksum(segmentKey(series, last), body))
      addToCount.run(1, series)
      return { number: last, columns }
    },
    /** Replaces the body of a segment; it must hold the same results. */
    rewrite(series: number, segment: number, body: Uint8Array): void {
      update.run(body, checksum(segmentKey(series, segment), body), segment)
    },
    remove(series: number, segments: readonly Segment[]): void {
      for (const { number } of segments) remove.run(number)
      addToCount.run(-segments.length, series)
    },
  }
}

const segmentKey = (series: number, segment: number) => `${series} hot ${segment} `
