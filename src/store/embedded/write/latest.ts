import { type Part, resultsOf } from '../../query/part.ts'
import { inOrderOf } from '../../query/stored-result.ts'
import type { CheckRef, Result } from '../../store.ts'
import { checksum, type Database, verify } from '../disk/database.ts'

/** Remembers the newest of the sealed results of each check and location on the disk. */
export function openLatest(database: Database) {
  const read = database.prepare('SELECT series, location, body, crc FROM latest')
  const put = database.prepare('INSERT OR REPLACE INTO latest (series, location, body, crc) VALUES (?, ?, ?, ?)')
  const newest = new Map<number, Map<string, Result>>()
  const set = (series: number, result: Result) =>
    newest.set(series, (newest.get(series) ?? new Map<string, Result>()).set(result.runLocation, result))

  const reload = () => {
    newest.clear()
    for (const { series, location, body, crc } of read.all()) {
      verify(checksumContext(series, location), body, crc)
      set(series, JSON.parse(body))
    }
  }
  reload()

  return {
    reload,
    /** Takes note of results of a check, which are in order. */
    observe(series: number, check: CheckRef, part: Part): void {
      const compare = inOrderOf(check)
      for (const result of lastResults(check, part)) {
        const known = newest.get(series)?.get(result.runLocation)
        if (known && compare(known, result) >= 0) continue
        set(series, result)
        const body = JSON.stringify(result)
        put.run(series, result.runLocation, body, checksum(checksumContext(series, result.runLocation), body))
      }
    },
    all: (): { series: number; result: Result }[] =>
      [...newest].flatMap(([series, byLocation]) => Array.from(byLocation.values(), (result) => ({ series, result }))),
  }
}

const checksumContext = (series: number, location: string) => `${series} latest ${location} `

/** The last result of each location; what stands before the first of them is not read. */
export function lastResults(check: CheckRef, part: Part): Result[] {
  const rows = lastRows(part)
  const first = rows.at(-1) ?? part.count
  return resultsOf(
    check,
    part.slice(first, part.count),
    rows.map((row) => row - first),
  )
}

/** The last row of each location, the last of them first. */
function lastRows(part: Part): number[] {
  const { dictionary, codes } = part.texts('location')
  const met = new Uint8Array(dictionary.length)
  const rows: number[] = []
  for (let row = codes.length - 1; row >= 0 && rows.length < dictionary.length; row--) {
    const code = codes[row] as number
    if (met[code] === 1) continue
    met[code] = 1
    rows.push(row)
  }
  return rows
}
