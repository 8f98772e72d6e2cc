import { grouped } from '../../../collections/lists.ts'
import { joinedValues } from '../../kernels/joined-values.ts'
import { take } from '../../kernels/row-indexes.ts'
import { pagesOfRows } from '../../query/parts/merged-part.ts'
import { isPageColumn, pageStarts } from '../../query/parts/part.ts'
import { voidFlag } from '../schema/tables.ts'
import type { LoadedColumns, Rows } from './loaded-part.ts'

/** Columns by which `resultsByCheck` orders rows and detects repeated and void ones. */
export const orderColumns = ['time', 'flags'] as const
/** The index of a row's table part among those that a statement reads. */
export const partColumn = { name: 'part', sql: '_part_index' } as const
/** The number of a row's check within a statement; absent if the statement is about one check. */
export const checkColumn = 'check'

/**
 * Orders the results of each check, from rows as the server reads them: blocks of rows, each in key order. A part has no result twice: a
 * writer sends each result once, and merges remove repeated rows. So two rows can be of the same result only if they have the same start
 * and are in different runs. Null in that case, or if a row is void: only FINAL shows which rows count.
 */
export function resultsByCheck(all: LoadedColumns, blockEnds: readonly number[]): ReadonlyMap<number, LoadedColumns> | null {
  const [times, flags] = orderColumns.map((name) => all.numbers.get(name) ?? new Float64Array(all.count)) as [Float64Array, Float64Array]
  for (let row = 0; row < all.count; row++) if ((flags[row] as number) >= voidFlag) return null
  const pages = pagesIn(all)
  const byCheck = new Map<number, LoadedColumns>()
  for (const [check, runs] of grouped(runsOf(all, blockEnds), ({ first }) => checkAt(all, first))) {
    const sorted = runs.toSorted((a, b) => (times[a.first] as number) - (times[b.first] as number))
    if (areApart(sorted, times)) {
      byCheck.set(check, columnsOfRuns(all, sorted, pages))
      continue
    }
    const rows = mergedRows(sorted, times)
    if (!rows) return null
    byCheck.set(check, columnsOfOrder(all, rows, pages))
  }
  return byCheck
}

/** The results of each check, from rows that are already grouped and in order. */
export function columnsByCheck(all: LoadedColumns): ReadonlyMap<number, LoadedColumns> {
  const pages = pagesIn(all)
  return new Map(runsOf(all, [all.count]).map((run) => [checkAt(all, run.first), columnsOfRuns(all, [run], pages)]))
}

const checkAt = ({ numbers }: LoadedColumns, row: number) => numbers.get(checkColumn)?.[row] ?? 0

/** Where each row's pages start; null without a column of pages. */
const pagesIn = ({ numbers }: LoadedColumns) => {
  const pages = numbers.get('pages')
  return pages ? pageStarts(Int32Array.from(pages)) : null
}

/**
 * Ascending runs of rows of one check, part and block. A server may have joined blocks that it read in parallel, so a run also ends where
 * starts decrease.
 */
function runsOf({ count, numbers }: LoadedColumns, blockEnds: readonly number[]): readonly Rows[] {
  const ends = new Set(blockEnds)
  for (const column of [numbers.get(partColumn.name), numbers.get(checkColumn)])
    if (column) for (let row = 1; row < count; row++) if (column[row] !== column[row - 1]) ends.add(row)
  const times = numbers.get('time')
  if (times) for (let row = 1; row < count; row++) if ((times[row] as number) < (times[row - 1] as number)) ends.add(row)
  let first = 0
  return [...ends]
    .sort((a, b) => a - b)
    .flatMap((end) => {
      const run = { first, end }
      first = end
      return run.end > run.first ? run : []
    })
}

/** Whether each run starts after the one before it has ended. */
function areApart(runs: readonly Rows[], times: Float64Array): boolean {
  return runs.every(({ first }, i) => {
    const before = runs[i - 1]
    return !before || (times[before.end - 1] as number) < (times[first] as number)
  })
}

/** Merges runs by start; null if rows of two runs start at the same time. */
function mergedRows(runs: readonly Rows[], times: Float64Array): Int32Array | null {
  let lists = runs.map(rowsOf)
  while (lists.length > 1) {
    const pairs: Int32Array[] = []
    for (let i = 0; i < lists.length; i += 2) {
      const [a, b] = [lists[i] as Int32Array, lists[i + 1]]
      const merged = b ? mergedPair(a, b, times) : a
      if (!merged) return null
      pairs.push(merged)
    }
    lists = pairs
  }
  return lists[0] ?? new Int32Array()
}

function rowsOf({ first, end }: Rows): Int32Array {
  const rows = new Int32Array(end - first)
  for (let i = 0; i < rows.length; i++) rows[i] = first + i
  return rows
}

function mergedPair(a: Int32Array, b: Int32Array, times: Float64Array): Int32Array | null {
  const merged = new Int32Array(a.length + b.length)
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const start = times[a[i] as number] as number
    const other = times[b[j] as number] as number
    if (start === other) return null
    merged[i + j] = (start < other ? a[i++] : b[j++]) as number
  }
  merged.set(a.subarray(i), i + j)
  merged.set(b.subarray(j), i + j + a.length - i)
  return merged
}

/** The columns of these runs; a single run is not copied. */
function columnsOfRuns({ numbers, texts }: LoadedColumns, runs: readonly Rows[], pages: Int32Array | null): LoadedColumns {
  const from = (column: string, row: number) => (isPageColumn(column) ? (pages?.[row] ?? 0) : row)
  const slices = <Values extends Float64Array | Int32Array>(column: string, values: Values) =>
    runs.map(({ first, end }) => values.subarray(from(column, first), from(column, end)) as Values)
  return {
    count: runs.reduce((sum, { first, end }) => sum + end - first, 0),
    numbers: new Map(Array.from(numbers, ([name, values]) => [name, joinedValues(slices(name, values), Float64Array)])),
    texts: new Map(
      Array.from(texts, ([name, { dictionary, codes }]) => [name, { dictionary, codes: joinedValues(slices(name, codes), Int32Array) }]),
    ),
  }
}

function columnsOfOrder({ numbers, texts }: LoadedColumns, rows: Int32Array, pages: Int32Array | null): LoadedColumns {
  const pageRows = pages && pagesOfRows(pages, rows)
  const rowsIn = (column: string) => (isPageColumn(column) ? (pageRows ?? new Int32Array()) : rows)
  return {
    count: rows.length,
    numbers: new Map(Array.from(numbers, ([name, values]) => [name, take(values, rowsIn(name))])),
    texts: new Map(Array.from(texts, ([name, { dictionary, codes }]) => [name, { dictionary, codes: take(codes, rowsIn(name)) }])),
  }
}
