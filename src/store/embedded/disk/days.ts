import { lruCache } from '../../../cache/cache.ts'
import { dateText } from '../../../time.ts'
import type { HourStarts } from '../../kernels/time-runs.ts'
import { measuredIn } from '../columns/encoded-results.ts'
import { checksum, verify } from './checksum.ts'
import type { Database } from './sqlite.ts'

/** The row of a sealed day; its columns lie in chunks. */
export type SealedDay = {
  readonly day: number
  /** Grows whenever the day is rewritten. */
  readonly edition: number
  readonly results: number
  readonly columns: ReadonlySet<string>
  /** Those of the columns that hold measured values. */
  readonly measured: readonly string[]
  /** Where each hour (UTC) begins, once that was found: questions by the hour then need not read the times. */
  hours: HourStarts | null
}

type ColumnNames = Pick<SealedDay, 'columns' | 'measured'>

const maxCachedNames = 1000

export function openDays(database: Database) {
  const select = database.prepare(
    'SELECT day, edition, results, columns, crc FROM day WHERE series = ? AND day BETWEEN ? AND ? ORDER BY day',
  )
  const columnNames = lruCache<string, ColumnNames>(maxCachedNames)
  /** The sealed days of a check from one day to another, both included. */
  return (series: number, fromDay: number, toDay: number): SealedDay[] =>
    select.all(series, fromDay, toDay).map(({ day, edition, results, columns, crc }) => {
      verify(
        { key: dayKey(series, day), finding: `the list of columns of ${dateText(day)} is damaged` },
        dayText(edition, results, columns),
        crc,
      )
      return { day, edition, results, hours: null, ...columnNames.getOrCreate(columns, () => namesIn(columns)) }
    })
}

export function openDayWriter(database: Database) {
  const replace = database.prepare('INSERT OR REPLACE INTO day (series, day, edition, results, columns, crc) VALUES (?, ?, ?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM day WHERE series = ? AND day = ?')
  const nextEdition = database.prepare('UPDATE series SET edition = edition + 1, days = days + ? WHERE key = ? RETURNING edition')
  return {
    write(series: number, day: number, { results, columns, isNew }: { results: number; columns: readonly string[]; isNew: boolean }): void {
      const names = JSON.stringify(columns)
      const { edition } = nextEdition.get(isNew ? 1 : 0, series)
      replace.run(series, day, edition, results, names, checksum(dayKey(series, day), dayText(edition, results, names)))
    },
    drop(series: number, day: number): void {
      remove.run(series, day)
      nextEdition.get(-1, series)
    },
  }
}

const dayKey = (series: number, day: number) => `${series} day ${day} `

const dayText = (edition: number, results: number, columns: string) => `${edition} ${results}${columns}`

function namesIn(text: string): ColumnNames {
  const names: readonly string[] = JSON.parse(text)
  return { columns: new Set(names), measured: measuredIn(names) }
}
