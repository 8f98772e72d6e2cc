import type { Columns } from '../columns/columns.ts'
import { decodeSegment } from '../columns/segment.ts'
import { checksum, type Database, verify } from './database.ts'

/** Results of a check that one commit has brought, not yet sealed. */
export type Segment = { readonly number: number; readonly columns: Columns }

/** Reads segments. */
export function openHot(database: Database) {
  const ofSeries = database.prepare('SELECT segment, body, crc FROM hot WHERE series = ? AND results < ? ORDER BY segment LIMIT ?')
  const one = database.prepare('SELECT segment, body, crc FROM hot WHERE segment = ?')
  const read = (series: number, { segment, body, crc }: { segment: number; body: Uint8Array; crc: number }): Segment => {
    verify(segmentPlace(series, segment), body, crc)
    return { number: segment, columns: decodeSegment(body) }
  }
  return {
    one: (series: number, segment: number): Segment => read(series, one.get(segment)),
    /** Those of a check, the oldest of them first: at most so many, of fewer results than so many. */
    of: (series: number, { most = -1, below = Number.MAX_SAFE_INTEGER } = {}): Segment[] =>
      ofSeries.all(series, below, most).map((row) => read(series, row)),
  }
}

export type Hot = ReturnType<typeof openHot>

/** Writes segments, each one row, and takes them away again once they are sealed. */
export function openHotWriter(database: Database) {
  const insert = database.prepare('INSERT INTO hot (series, segment, firstAt, results, body, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM hot WHERE segment = ?')
  const addToCount = database.prepare('UPDATE series SET segments = segments + ? WHERE key = ?')
  let last: number = database.prepare('SELECT coalesce(max(segment), 0) AS segment FROM hot').get().segment
  return {
    last: (): number => last,
    add(series: number, body: Uint8Array, columns: Columns): Segment {
      last++
      insert.run(series, last, columns.span.from, columns.count, body, checksum(segmentPlace(series, last), body))
      addToCount.run(1, series)
      return { number: last, columns }
    },
    remove(series: number, segments: readonly Segment[]): void {
      for (const { number } of segments) remove.run(number)
      addToCount.run(-segments.length, series)
    },
  }
}

const segmentPlace = (series: number, segment: number) => `${series} hot ${segment} `
