import { hash } from 'node:crypto'
import type { Position } from '../store.ts'
import { type Chunks, dayOf } from './chunk.ts'
import type { Database } from './database.ts'
import { textAt } from './part.ts'

const rememberedDays = 64

/** Knows which results are in sealed days already. An id that is derived needs no index: its time and location tell it. */
export function openSealedIdentity(database: Database, chunks: Chunks) {
  const find = database.prepare('SELECT day FROM sealed_id WHERE series = ? AND hash = ?')
  const insert = database.prepare('INSERT OR IGNORE INTO sealed_id (series, hash, day) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM sealed_id WHERE series = ? AND day = ?')
  const byDay = new Map<string, ReadonlySet<string>>()

  const identitiesOf = (series: number, day: number): ReadonlySet<string> => {
    const name = `${series} ${day}`
    const identities = byDay.get(name) ?? readIdentities(chunks, series, day)
    byDay.delete(name)
    byDay.set(name, identities)
    if (byDay.size > rememberedDays) byDay.delete(byDay.keys().next().value as string)
    return identities
  }

  return {
    has(series: number, position: Position, derived: boolean): boolean {
      if (derived) return identitiesOf(series, dayOf(position.startedAt)).has(derivedIdentity(position.startedAt, position.runLocation))
      return find.all(series, hashOf(position.id)).some(({ day }) => identitiesOf(series, day).has(position.id))
    },
    add(series: number, day: number, explicitIds: readonly string[]): void {
      for (const id of explicitIds) insert.run(series, hashOf(id), day)
    },
    drop(series: number, day: number): void {
      remove.run(series, day)
    },
    /** Must be called whenever a day was written anew. */
    forget(series: number, day: number): void {
      byDay.delete(`${series} ${day}`)
    },
  }
}

const derivedIdentity = (time: number, location: string) => `${time} ${location}`

function readIdentities(chunks: Chunks, series: number, day: number): ReadonlySet<string> {
  const [sealed] = chunks.days(series, day, day)
  if (!sealed) return new Set()
  const part = chunks.part(series, sealed, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  const [times, locations, ids] = [part.numbers('time'), part.texts('location'), part.texts('id')]
  return new Set(Array.from(times, (time, row) => textAt(ids, row) ?? derivedIdentity(time, textAt(locations, row) ?? '')))
}

function hashOf(id: string): number {
  return Number.parseInt(hash('sha256', id).slice(0, 12), 16)
}
