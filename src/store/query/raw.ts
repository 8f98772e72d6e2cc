import { checkAnswerSize, isBounded } from '../admission/cost.ts'
import { eachRow } from '../kernels/row-indexes.ts'
import type { GroupKey, RawGroup, RawQuery, RawRow } from '../store.ts'
import { passing } from './grid/filter.ts'
import { pageOf } from './grid/grid.ts'
import { compareKeys, groupRows } from './grid/groups.ts'
import type { LazyDay } from './parts/day.ts'
import { columnOf, isPageColumn, type Part, type PartRows, pageStarts, partRows, textAt } from './parts/part.ts'

/** Single runs, newest first; `days` must ascend. */
export function raw(query: RawQuery, days: readonly LazyDay[]): RawGroup[] {
  const groups = isBounded(query) ? [{ key: null, rows: newestRows(query, days) }] : groupsOf(query, days)
  const answer = pageOf(groups, query.groupPage).filter(({ rows }) => rows.length > 0)
  checkAnswerSize({
    groups: answer.length,
    rows: answer.reduce((sum, { rows }) => sum + rows.length, 0),
    valuesPerRow: query.metrics.length,
  })
  return answer
}

function newestRows({ metrics, rowPage }: RawQuery, days: readonly LazyDay[]): RawRow[] {
  const page: RawRow[] = []
  let toSkip = rowPage.offset
  for (const { count, part } of days.toReversed()) {
    const end = count() - toSkip
    toSkip = Math.max(0, toSkip - count())
    if (end <= 0) continue
    const slice = part().slice(Math.max(0, end - rowPage.limit + page.length), end)
    const rowAt = rowReader(slice, partRows(slice, false), metrics)
    for (let row = slice.count - 1; row >= 0; row--) page.push(rowAt(row))
    if (page.length >= rowPage.limit) break
  }
  return page
}

/** A group in progress: the number of its rows seen so far, and those on the row page. */
type GrowingGroup = { seen: number; readonly rows: RawRow[] }

function groupsOf(query: RawQuery, days: readonly LazyDay[]): RawGroup[] {
  const groups = new Map<GroupKey, GrowingGroup>()
  for (const { part } of days.toReversed()) {
    addRows(query, part(), groups)
    if (!query.groupBy && (groups.get(null)?.rows.length ?? 0) >= query.rowPage.limit) break
  }
  return [...groups].sort(([a], [b]) => compareKeys(a, b)).map(([key, { rows }]) => ({ key, rows }))
}

function addRows({ filter, groupBy, metrics, rowPage }: RawQuery, part: Part, byKey: Map<GroupKey, GrowingGroup>): void {
  const rows = partRows(part, groupBy?.by === 'page')
  const groups = groupRows(part, rows, groupBy ? [groupBy] : [], [])
  const groupOf = eachRow(groups.of)
  const passes = filter && passing(part, filter)
  const rowAt = rowReader(part, rows, metrics)
  for (let row = rows.count - 1; row >= 0; row--) {
    if (passes && passes[rows.pages ? (rows.pages.runs[row] as number) : row] === 0) continue
    const key = groups.keys[groupOf[row] as number]?.[0] ?? null
    const group = byKey.get(key) ?? { seen: 0, rows: [] }
    byKey.set(key, group)
    if (group.seen >= rowPage.offset && group.rows.length < rowPage.limit) group.rows.push(rowAt(row))
    group.seen++
    if (!groupBy && group.rows.length >= rowPage.limit) return
  }
}

function rowReader(part: Part, rows: PartRows, metrics: RawQuery['metrics']): (row: number) => RawRow {
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
      pageIndex: rows.pages ? (rows.pages.indexes[row] as number) : null,
      values: valuesOf(row, run),
    }
  }
}

/** Reads all metrics of a row; usually there is only one. */
function valuesReader(readers: readonly ValueReader[]): (row: number, run: number) => (number | null)[] {
  const [first] = readers
  if (readers.length === 1 && first) return (row, run) => [first(row, run)]
  return (row, run) => readers.map((valueAt) => valueAt(row, run))
}

type ValueReader = (row: number, run: number) => number | null

/** Reads a metric of a row. If rows are runs, a page metric is the mean over the pages of the run. */
function valueReader(part: Part, rows: PartRows, metric: RawQuery['metrics'][number]): ValueReader {
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
