import type { Columns } from '../columns/columns.ts'
import { decodePacket } from '../columns/segment.ts'
import { checksum, type Database, verify } from './database.ts'

/** Results of a check that one commit has brought, not yet sealed. */
export type Packet = { readonly packet: number; readonly columns: Columns }

/** Reads packets. */
export function openHot(database: Database) {
  const ofSeries = database.prepare('SELECT packet, body, crc FROM hot WHERE series = ? AND results < ? ORDER BY packet LIMIT ?')
  const one = database.prepare('SELECT packet, body, crc FROM hot WHERE packet = ?')
  const read = (series: number, { packet, body, crc }: { packet: number; body: Uint8Array; crc: number }): Packet => {
    verify(packetPlace(series, packet), body, crc)
    return { packet, columns: decodePacket(body) }
  }
  return {
    one: (series: number, packet: number): Packet => read(series, one.get(packet)),
    /** Those of a check, the oldest of them first: at most so many, of fewer results than so many. */
    of: (series: number, { most = -1, below = Number.MAX_SAFE_INTEGER } = {}): Packet[] =>
      ofSeries.all(series, below, most).map((row) => read(series, row)),
  }
}

export type Hot = ReturnType<typeof openHot>

/** Writes packets, each one row, and takes them away again once they are sealed. */
export function openHotWriter(database: Database) {
  const insert = database.prepare('INSERT INTO hot (series, packet, firstAt, results, body, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM hot WHERE packet = ?')
  const countPackets = database.prepare('UPDATE series SET packets = packets + ? WHERE key = ?')
  let last: number = database.prepare('SELECT coalesce(max(packet), 0) AS packet FROM hot').get().packet
  return {
    last: (): number => last,
    add(series: number, body: Uint8Array, columns: Columns): Packet {
      last++
      insert.run(series, last, columns.span.from, columns.count, body, checksum(packetPlace(series, last), body))
      countPackets.run(1, series)
      return { packet: last, columns }
    },
    remove(series: number, packets: readonly Packet[]): void {
      for (const { packet } of packets) remove.run(packet)
      countPackets.run(-packets.length, series)
    },
  }
}

const packetPlace = (series: number, packet: number) => `${series} hot ${packet} `
