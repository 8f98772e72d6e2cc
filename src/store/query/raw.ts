import type { GroupKey, RawGroup, RawQuery, RawRow } from '../store.ts'
import type { Day } from './day.ts'
import { columnOf, isPageColumn, type Part, pageStarts, textAt } from './part.ts'
import { compareKeys, groupRows, passing, type Rows, rowsOf } from './rows.ts'

/** Answers for single runs, newest first, over days in order of time. */
export function raw(query: RawQuery, days: readonly Day[]): RawGroup[] {
  if (isBounded(query)) return [{ key: null, rows: newestRows(query, days) }]
  const lines = new Map<GroupKey, Line>(query.groupBy ? [] : [[null, { met: 0, rows: [] }]])
  for (const { part } of days.toReversed()) {
    walk(query, part(), lines)
    if (!query.groupBy && (lines.get(null)?.rows.length ?? 0) >= query.paging.limit) break
  }
  return [...lines].sort(([a], [b]) => compareKeys(a, b)).map(([key, { rows }]) => ({ key, rows }))
}

/** Whether an answer needs to read no more than the rows that it holds. */
export const isBounded = ({ filter, groupBy }: Pick<RawQuery, 'filter' | 'groupBy'>) => !filter && !groupBy

function newestRows({ metrics, paging }: RawQuery, days: readonly Day[]): RawRow[] {
  const found: RawRow[] = []
  let toSkip = paging.offset
  for (const { count, part } of days.toReversed()) {
    const end = count() - toSkip
    toSkip = Math.max(0, toSkip - count())
    if (end <= 0) continue
    const slice = part().slice(Math.max(0, end - paging.limit + found.length), end)
    const rowAt = rowReader(slice, rowsOf(slice, null), metrics)
    for (let row = slice.count - 1; row >= 0; row--) found.push(rowAt(row))
    if (found.length >= paging.limit) break
  }
  return found
}

/** A series of the answer as it grows: how many of its rows were met, and those that the asked page holds. */
type Line = { met: number; readonly rows: RawRow[] }

function walk({ filter, groupBy, metrics, paging }: RawQuery, part: Part, lines: Map<GroupKey, Line>): void {
  const rows = rowsOf(part, groupBy)
  const groups = groupRows(part, rows, groupBy)
  const passes = filter && passing(part, filter)
  const rowAt = rowReader(part, rows, metrics)
  for (let row = rows.count - 1; row >= 0; row--) {
    if (passes && passes[rows.pages ? (rows.pages.runs[row] as number) : row] === 0) continue
    const key = groups.keys[groups.of?.[row] ?? 0] ?? null
    const line = lines.get(key) ?? { met: 0, rows: [] }
    lines.set(key, line)
    if (line.met >= paging.offset && line.rows.length < paging.limit) line.rows.push(rowAt(row))
    line.met++
    if (!groupBy && line.rows.length >= paging.limit) return
  }
}

function rowReader(part: Part, rows: Rows, metrics: RawQuery['metrics']): (row: number) => RawRow {
  const [times, flags, attempts] = [part.numbers('time'), part.ints('flags'), part.ints('attempts')]
  const locations = part.texts('location')
  const urls = rows.pages && part.texts('pageUrl')
  const valuesOf = valuesReader(metrics.map((metric) => valueReader(part, rows, metric)))
  return (row) => {
    const run = rows.pages ? (rows.pages.runs[row] as number) : row
    return {
      startedAt: times[run] as number,
      runLocation: textAt(locations, run) ?? '',
      hasFailures: ((flags[run] as number) & 1) !== 0,
      attempts: attempts[run] as number,
      pageUrl: urls && textAt(urls, row),
      pageIndex: rows.pages ? (rows.pages.places[row] as number) : null,
      values: valuesOf(row, run),
    }
  }
}

/** All metrics of a row; most often there is but one. */
function valuesReader(readers: readonly ValueReader[]): (row: number, run: number) => (number | null)[] {
  const [first] = readers
  if (readers.length === 1 && first) return (row, run) => [first(row, run)]
  return (row, run) => readers.map((valueAt) => valueAt(row, run))
}

type ValueReader = (row: number, run: number) => number | null

/** A metric of a row; a page's, where rows are runs, is the mean of the run's pages. */
function valueReader(part: Part, rows: Rows, metric: RawQuery['metrics'][number]): ValueReader {
  const column = columnOf(metric)
  const numbers = part.numbers(column)
  if (!isPageColumn(column)) return (_, run) => measured(numbers[run])
  if (rows.pages) return (row) => measured(numbers[row])
  const starts = pageStarts(part.ints('pages'))
  return (_, run) => mean(numbers.subarray(starts[run], starts[run + 1]))
}

const measured = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value)

function mean(values: Float64Array): number | null {
  const present = values.filter((value) => !Number.isNaN(value))
  return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length
}
