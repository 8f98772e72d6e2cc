import { allTime } from '../../../calendar/window.ts'
import { dayOf } from '../../../time.ts'
import { sortedPart } from '../../query/parts/merged-part.ts'
import { columnsPart, encodeSegment } from '../columns/encoded-results.ts'
import { openLatest } from '../write/latest.ts'
import { openHot, openHotWriter } from './hot.ts'
import { arrivalTable, documentTable, evidenceTable, layoutVersion, regimeTable } from './layout.ts'
import { openChunkReader, openChunkWriter, sealedPart } from './sealed-days.ts'
import { openSeries } from './series.ts'
import type { Database } from './sqlite.ts'

/** `migrations[n]` migrates layout n − 1 to n. */
const migrations: Readonly<Record<number, (database: Database) => void>> = {
  4: toLayout4,
  5: (database) => database.exec(regimeTable),
  6: (database) => database.exec(evidenceTable),
  /** Slot ids can have their own encoding, and are no longer in the index of ids. Older rows stay unchanged. */
  7: () => {},
  8: (database) => database.exec(arrivalTable),
  9: (database) => database.exec(documentTable),
}

export const oldestLayout = Math.min(...Object.keys(migrations).map(Number)) - 1

/** Migrates an older layout to the current one; must be called in a transaction. */
export function migrate(database: Database, version: number): void {
  for (let next = version + 1; next <= layoutVersion; next++) migrations[next]?.(database)
  database.exec(`PRAGMA user_version = ${layoutVersion}`)
}

/** Renames packets to segments, and sorts results again: text was ordered by UTF-16 units, and derived ids among the others. */
function toLayout4(database: Database): void {
  database.exec('ALTER TABLE series RENAME COLUMN packets TO segments; ALTER TABLE hot RENAME COLUMN packet TO segment')
  const series = openSeries(database)
  for (const key of series.keys()) {
    sortDays(database, key, series)
    sortSegments(database, key)
  }
}

function sortDays(database: Database, key: number, series: ReturnType<typeof openSeries>): void {
  const [chunks, writer] = [openChunkReader(database), openChunkWriter(database)]
  const latest = openLatest(database, series.checkOf)
  for (const day of chunks.days(key, dayOf(allTime.from), dayOf(allTime.to))) {
    const part = sealedPart(day, allTime, chunks.dayByDay(key))
    const sorted = sortedPart(part)
    if (sorted === part) continue
    latest.observe(key, sorted)
    writer.write(key, day.day, sorted, day)
  }
}

function sortSegments(database: Database, key: number): void {
  const writer = openHotWriter(database)
  for (const { number, columns } of openHot(database).of(key)) {
    const part = columnsPart(columns, allTime)
    const sorted = sortedPart(part)
    if (sorted !== part) writer.rewrite(key, number, encodeSegment(sorted))
  }
}
