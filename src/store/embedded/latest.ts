import type { Position, Result } from '../store.ts'
import { checksum, type Database, verify } from './database.ts'
import { hotPlace } from './parts.ts'
import { comparePositions, fromBody } from './result-body.ts'

type Newest = Position & { readonly body: string }

/** Remembers the newest result of each check and location. */
export function openLatest(database: Database) {
  const read = database.prepare('SELECT series, startedAt, location, id, body, crc FROM latest')
  const put = database.prepare('INSERT OR REPLACE INTO latest (series, location, startedAt, id, body, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const newest = new Map<number, Map<string, Newest>>()
  const changed = new Map<Newest, number>()

  const set = (key: number, entry: Newest) => {
    const byLocation = newest.get(key) ?? new Map<string, Newest>()
    newest.set(key, byLocation.set(entry.runLocation, entry))
  }
  const reload = () => {
    newest.clear()
    changed.clear()
    for (const { series, startedAt, location, id, body, crc } of read.all()) {
      verify(hotPlace(series, startedAt, location, id), body, crc)
      set(series, { startedAt, runLocation: location, id, body })
    }
  }
  reload()

  return {
    reload,
    meet(key: number, { startedAt, runLocation, id, body }: Newest): void {
      const known = newest.get(key)?.get(runLocation)
      const entry = { startedAt, runLocation, id, body }
      if (known && comparePositions(known, entry) >= 0) return
      if (known) changed.delete(known)
      changed.set(entry, key)
      set(key, entry)
    },
    /** Writes down what has changed since the last time. */
    write(): void {
      for (const [{ startedAt, runLocation, id, body }, key] of changed)
        put.run(key, runLocation, startedAt, id, body, checksum(hotPlace(key, startedAt, runLocation, id), body))
      changed.clear()
    },
    all: (): { key: number; result: Result }[] =>
      [...newest].flatMap(([key, byLocation]) =>
        [...byLocation.values()].map(({ startedAt, runLocation, id, body }) => ({
          key,
          result: fromBody(startedAt, runLocation, id, body),
        })),
      ),
  }
}
