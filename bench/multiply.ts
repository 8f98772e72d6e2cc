import { allTime } from '../src/calendar/window.ts'
import { openForWriting } from '../src/store/embedded/disk/database.ts'
import {
  chunkKeyText,
  openChunkKeys,
  openChunkReader,
  openDayWriter,
  type SealedDay,
  sealedPart,
} from '../src/store/embedded/disk/sealed-days.ts'
import { openSeries } from '../src/store/embedded/disk/series.ts'
import { checksum, type Database, transaction } from '../src/store/embedded/disk/sqlite.ts'
import { openLatest } from '../src/store/embedded/write/latest.ts'
import type { CheckRef } from '../src/store/store.ts'
import { dayOf } from '../src/time.ts'

export type Multiplied = {
  /** All checks of the resulting folder. The first `seeds` of them already have all their results, sealed. */
  readonly checks: readonly CheckRef[]
  readonly seeds: number
  /** How many times the days of each check are repeated, one period before the other. */
  readonly periods: number
  readonly periodDays: number
}

const checksPerTransaction = 200

/**
 * Copies the sealed days of the seeds to other checks and to earlier days. Times in a column are relative to the start of the day, so
 * columns need no change. Days are written in the order in which a server would seal them, so that they have the same layout in the file.
 */
export function multiply(directory: string, { checks, seeds, periods, periodDays }: Multiplied): void {
  const database = openForWriting(directory)
  database.exec('PRAGMA synchronous = OFF')
  const series = openSeries(database)
  const keys = checks.map(series.keyOf)
  const days = keys.slice(0, seeds).map((key) => sealedDays(database, key))
  const copyDay = openDayCopier(database)
  for (let period = periods - 1; period >= 0; period--)
    for (const at of (days[0] ?? []).keys())
      for (let first = period === 0 ? seeds : 0; first < checks.length; first += checksPerTransaction)
        transaction(database, () => {
          for (const [i, key] of keys.slice(first, first + checksPerTransaction).entries()) {
            const source = days[(first + i) % seeds]?.[at] as EncodedDay
            copyDay(key, source.day - period * periodDays, source)
          }
        })
  transaction(database, () => observeLatest(database, series.checkOf, keys.slice(seeds)))
  database.close()
}

type EncodedDay = Pick<SealedDay, 'day' | 'results'> & { readonly columns: ReadonlyMap<string, Uint8Array> }

function sealedDays(database: Database, key: number): readonly EncodedDay[] {
  const chunks = openChunkReader(database)
  const columnOf = chunks.dayByDay(key)
  return chunks.days(key, dayOf(allTime.from), dayOf(allTime.to)).map((sealed) => ({
    day: sealed.day,
    results: sealed.results,
    columns: new Map([...sealed.columns].map((name) => [name, columnOf(name, sealed).bytes])),
  }))
}

function openDayCopier(database: Database) {
  const keys = openChunkKeys(database)
  const days = openDayWriter(database)
  const insert = database.prepare('INSERT INTO chunk (key, crc, bytes) VALUES (?, ?, ?)')
  return (series: number, day: number, { results, columns }: EncodedDay): void => {
    for (const [name, bytes] of columns) insert.run(keys.make(series, name, day), checksum(chunkKeyText(series, name, day), bytes), bytes)
    days.write(series, day, { results, columns: [...columns.keys()], isNew: true })
  }
}

function observeLatest(database: Database, checkOf: (key: number) => CheckRef, keys: readonly number[]): void {
  const chunks = openChunkReader(database)
  const latest = openLatest(database, checkOf)
  for (const key of keys) {
    const last = chunks.days(key, dayOf(allTime.from), dayOf(allTime.to)).at(-1) as SealedDay
    latest.observe(key, sealedPart(last, allTime, chunks.dayByDay(key)))
  }
}
