import type { Database } from './sqlite.ts'

const maxDays = 2 ** 22
const maxColumns = 2 ** 10

/**
 * The key of a column of a day of a check: one number, ordered by check, column and day, so that the days of a column are adjacent.
 */
export function openChunkKeys(database: Database) {
  const select = database.prepare('SELECT number FROM column_name WHERE name = ?')
  const insert = database.prepare('INSERT INTO column_name (name) VALUES (?) RETURNING number')
  const numbers = new Map<string, number>()
  return {
    /** Undefined where no day has such a column. */
    find(series: number, name: string, day: number): number | undefined {
      const number = numbers.get(name) ?? select.get(name)?.number
      if (number === undefined) return undefined
      numbers.set(name, number)
      return keyOf(series, number, day)
    },
    /** Numbers a column that is new. Not cached: the transaction may be rolled back. */
    make: (series: number, name: string, day: number) => keyOf(series, select.get(name)?.number ?? insert.get(name).number, day),
  }
}

/** How many keys each check has: a key divided by this is the check's own. */
export const keysPerSeries = maxColumns * maxDays

/** The key of a chunk in its checksum and in messages. */
export const chunkKeyText = (series: number, name: string, day: number) => `${series} ${name} ${day} `

function keyOf(series: number, column: number, day: number): number {
  if (column >= maxColumns || day < 0 || day >= maxDays) throw new RangeError(`There is no place for column ${column} of day ${day}.`)
  return series * keysPerSeries + column * maxDays + day
}
