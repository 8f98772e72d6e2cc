import type { CheckRef } from '../store.ts'
import { checksum, type Database, verify } from './database.ts'
import { inOrderOf, readPacket, type StoredPosition, type StoredResult } from './stored-result.ts'

/** A result by its position and its text. */
type Entry = StoredPosition & { readonly text: string }

/** Remembers the newest result of each check and location on the disk. */
export function openLatest(database: Database) {
  const read = database.prepare('SELECT series, location, body, crc FROM latest')
  const put = database.prepare('INSERT OR REPLACE INTO latest (series, location, body, crc) VALUES (?, ?, ?, ?)')
  const newest = new Map<number, Map<string, Entry>>()
  const set = (series: number, entry: Entry) =>
    newest.set(series, (newest.get(series) ?? new Map<string, Entry>()).set(entry.runLocation, entry))

  const reload = () => {
    newest.clear()
    for (const { series, location, body, crc } of read.all()) {
      verify(latestPlace(series, location), body, crc)
      for (const { startedAt, runLocation, id } of readPacket(body)) set(series, { startedAt, runLocation, id, text: body })
    }
  }
  reload()

  return {
    reload,
    /** Takes note of new results of a check. */
    meet(series: number, check: CheckRef, entries: readonly Entry[]): void {
      const compare = inOrderOf(check)
      const changed = new Map<string, Entry>()
      for (const entry of entries) {
        const known = newest.get(series)?.get(entry.runLocation)
        if (known && compare(known, entry) >= 0) continue
        set(series, entry)
        changed.set(entry.runLocation, entry)
      }
      for (const [location, { text }] of changed) put.run(series, location, text, checksum(latestPlace(series, location), text))
    },
    all: (): { series: number; result: StoredResult }[] =>
      [...newest].flatMap(([series, byLocation]) =>
        [...byLocation.values()].flatMap(({ text }) => readPacket(text).map((result) => ({ series, result }))),
      ),
  }
}

const latestPlace = (series: number, location: string) => `${series} latest ${location} `
