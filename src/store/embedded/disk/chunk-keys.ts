import type { Database } from './database.ts'

const days = 2 ** 22
const columns = 2 ** 10

/**
 * The key of a column of a day of a check: one number, ordered by check, column and day, so that the days of a column lie side by
 * side and are found in few steps.
 */
export function openChunkKeys(database: Database) {
  const read = database.prepare('SELECT number FROM column_name WHERE name = ?')
  const insert = database.prepare('INSERT INTO column_name (name) VALUES (?) RETURNING number')
  const numbers = new Map<string, number>()
  return {
    /** Undefined where no day has such a column. */
    find(series: number, name: string, day: number): number | undefined {
      const number = numbers.get(name) ?? read.get(name)?.number
      if (number === undefined) return undefined
      numbers.set(name, number)
      return keyOf(series, number, day)
    },
    /** Gives a column that is new its number; asks the disk each time, since what is not committed may be undone. */
    make: (series: number, name: string, day: number) => keyOf(series, read.get(name)?.number ?? insert.get(name).number, day),
  }
}

export const dayOfKey = (key: number) => key % days

/** How many keys there are for each check: a key divided by this is the check's own. */
export const keysPerSeries = columns * days

function keyOf(series: number, column: number, day: number): number {
  if (column >= columns || day < 0 || day >= days) throw new RangeError(`There is no place for column ${column} of day ${day}.`)
  return series * keysPerSeries + column * days + day
}
