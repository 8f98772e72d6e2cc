import { hash } from 'node:crypto'
import { always, type Chunks, dayOf } from './chunk.ts'
import type { Database } from './database.ts'
import { withoutUnused } from './kernels/text-column.ts'
import { positions } from './merged-part.ts'
import type { Part } from './part.ts'
import { sealedPart } from './sealed-part.ts'
import { identityOf, type StoredPosition } from './stored-result.ts'

const rememberedDays = 64

/** Knows which results are in sealed days already. An id that is derived needs no index: its time and location tell it. */
export function openSealedIdentity(database: Database, chunks: Chunks) {
  const find = database.prepare('SELECT day FROM sealed_id WHERE series = ? AND hash = ?')
  const insert = database.prepare('INSERT OR IGNORE INTO sealed_id (series, hash, day) VALUES (?, ?, ?)')
  const remove = database.prepare('DELETE FROM sealed_id WHERE series = ? AND day = ?')
  const byDay = new Map<string, Set<string>>()
  const newest = new Map<string, number>()

  const identitiesOf = (series: number, day: number): Set<string> => {
    const name = `${series} ${day}`
    const identities = byDay.get(name) ?? readIdentities(chunks, series, day)
    byDay.delete(name)
    byDay.set(name, identities)
    if (byDay.size > rememberedDays) byDay.delete(byDay.keys().next().value as string)
    return identities
  }

  /** Most results are newer than all that is sealed of their day, and need no further look. */
  const newestOf = (series: number, day: number): number => {
    const name = `${series} ${day}`
    const time = newest.get(name) ?? lastTime(chunks, series, day)
    newest.set(name, time)
    return time
  }

  return {
    has(series: number, position: StoredPosition): boolean {
      const { id, startedAt } = position
      const day = dayOf(startedAt)
      if (id === null) return startedAt <= newestOf(series, day) && identitiesOf(series, day).has(identityOf(position))
      return find.all(series, hashOf(id)).some(({ day }) => identitiesOf(series, day).has(id))
    },
    /** Takes note of results that a day was written anew with. */
    add(series: number, day: number, part: Part): void {
      for (const id of withoutUnused(part.texts('id')).dictionary) insert.run(series, hashOf(id), day)
      newest.set(`${series} ${day}`, Math.max(newestOf(series, day), part.span.to))
      const known = byDay.get(`${series} ${day}`)
      if (known) for (const identity of identitiesIn(part)) known.add(identity)
    },
    drop(series: number, day: number): void {
      remove.run(series, day)
      newest.delete(`${series} ${day}`)
      byDay.delete(`${series} ${day}`)
    },
  }
}

function readIdentities(chunks: Chunks, series: number, day: number): Set<string> {
  const [sealed] = chunks.days(series, day, day)
  return new Set(sealed ? identitiesIn(sealedPart(sealed, always, chunks.dayByDay(series))) : [])
}

/** What makes each result of a part the same as another. */
export function* identitiesIn(part: Part): Generator<string> {
  const position = positions(part)
  for (let row = 0; row < part.count; row++) yield identityOf(position(row))
}

function lastTime(chunks: Chunks, series: number, day: number): number {
  const [sealed] = chunks.days(series, day, day)
  if (!sealed) return Number.NEGATIVE_INFINITY
  return sealedPart(sealed, always, chunks.dayByDay(series))
    .slice(sealed.results - 1, sealed.results)
    .numbers('time')[0] as number
}

function hashOf(id: string): number {
  return Number.parseInt(hash('sha256', id).slice(0, 12), 16)
}
