import { checksum, type Database, verify } from './database.ts'
import { readPacket, type StoredResult } from './stored-result.ts'

/** Results of a check that one commit has brought, not yet sealed. */
export type Packet = { readonly packet: number; readonly results: readonly StoredResult[] }

/** Reads the packets of a check, the oldest of them first. */
export function openHot(database: Database) {
  const read = database.prepare('SELECT packet, body, crc FROM hot WHERE series = ? ORDER BY packet LIMIT ?')
  return (series: number, most = -1): Packet[] => read.all(series, most).map((row) => readPacketRow(series, row))
}

/** A packet as it stands in its table. */
export type PacketRow = { readonly packet: number; readonly body: string; readonly crc: number }

export function readPacketRow(series: number, { packet, body, crc }: PacketRow): Packet {
  verify(packetPlace(series, packet), body, crc)
  return { packet, results: readPacket(body) }
}

/** Writes packets, each one row, and takes them away again once they are sealed. */
export function openHotWriter(database: Database) {
  const insert = database.prepare('INSERT INTO hot (series, packet, firstAt, lastAt, results, body, crc) VALUES (?, ?, ?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM hot WHERE packet = ?')
  let last: number = database.prepare('SELECT coalesce(max(packet), 0) AS packet FROM hot').get().packet
  return {
    add(series: number, body: string, times: Float64Array): void {
      last++
      let [firstAt, lastAt] = [Infinity, -Infinity]
      for (const time of times) {
        firstAt = Math.min(firstAt, time)
        lastAt = Math.max(lastAt, time)
      }
      insert.run(series, last, firstAt, lastAt, times.length, body, checksum(packetPlace(series, last), body))
    },
    remove(packets: readonly Packet[]): void {
      for (const { packet } of packets) remove.run(packet)
    },
  }
}

const packetPlace = (series: number, packet: number) => `${series} hot ${packet} `
