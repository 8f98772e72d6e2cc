import type { Part } from '../../query/parts/part.ts'
import { storedResults } from '../../query/parts/results-of.ts'
import { comparePositions, type StoredResult, toResult, toStored } from '../../query/parts/stored-result.ts'
import type { CheckRef, FiledResult } from '../../store.ts'
import { checksum, type Database, verify } from '../disk/sqlite.ts'

/** The newest sealed result of each check and location, on disk. */
export function openLatest(database: Database, checkOf: (series: number) => CheckRef) {
  const read = database.prepare('SELECT series, location, body, crc FROM latest')
  const put = database.prepare('INSERT OR REPLACE INTO latest (series, location, body, crc) VALUES (?, ?, ?, ?)')
  const newest = new Map<number, Map<string, StoredResult>>()
  const set = (series: number, result: StoredResult) =>
    newest.set(series, (newest.get(series) ?? new Map<string, StoredResult>()).set(result.runLocation, result))

  const reload = () => {
    newest.clear()
    for (const { series, location, body, crc } of read.all()) {
      verify({ key: latestKey(series, location), finding: 'the newest result is damaged' }, body, crc)
      set(series, toStored({ check: checkOf(series), result: JSON.parse(body) }).result)
    }
  }
  reload()

  return {
    reload,
    /** Updates the newest results from an ordered part. */
    observe(series: number, part: Part): void {
      for (const result of lastResults(part)) {
        const previous = newest.get(series)?.get(result.runLocation)
        if (previous && comparePositions(previous, result) >= 0) continue
        set(series, result)
        const body = JSON.stringify(toResult(checkOf(series), result))
        put.run(series, result.runLocation, body, checksum(latestKey(series, result.runLocation), body))
      }
    },
    all: (): FiledResult[] =>
      [...newest].flatMap(([series, byLocation]) => Array.from(byLocation.values(), (result) => ({ check: checkOf(series), result }))),
  }
}

const latestKey = (series: number, location: string) => `${series} latest ${location} `

/** The last result of each location. */
export function lastResults(part: Part): StoredResult[] {
  return storedResults(part, lastRows(part))
}

/** The last row of each location, in descending order. */
function lastRows(part: Part): number[] {
  const { dictionary, codes } = part.texts('location')
  const seen = new Uint8Array(dictionary.length)
  const rows: number[] = []
  for (let row = codes.length - 1; row >= 0 && rows.length < dictionary.length; row--) {
    const code = codes[row] as number
    if (seen[code] === 1) continue
    seen[code] = 1
    rows.push(row)
  }
  return rows
}
