import { bucketAt, bucketsTouching, startOfBucket, startsOf } from '../../kernels/bucket-columns.ts'
import { assignCells, crossRuns, eachRun, isRuns, leaveOut, oneRun, type RowIndexes, type Runs, tally } from '../../kernels/row-indexes.ts'
import { timeRuns } from '../../kernels/time-runs.ts'
import { type AggregateQuery, type Buckets, type CheckSource, type GroupKey, type Paging, QueryTooLarge, wholePage } from '../../store.ts'
import { type Part, type PartRows, partRows } from '../parts/part.ts'
import { passing } from './filter.ts'
import { compareGroupKeys, type GroupKeys, groupRows, type RowGroups } from './groups.ts'

/** Some results of a source, counted in the groups of these labels. */
export type SourcePart = { readonly source: CheckSource; readonly part: Part; readonly labels: readonly GroupKey[] }

/** The cells of one part: one per bucket and group, bucket by bucket, and a last one for rows that the filter leaves out. */
export type Cells = SourcePart & {
  readonly rows: PartRows
  /** The cell of each row. */
  readonly of: RowIndexes
  readonly counts: Int32Array
  /** The start of each bucket; a single null without buckets. */
  readonly starts: readonly (number | null)[]
  readonly keys: readonly GroupKeys[]
}

/** Assigns each row of a part to its cell. */
export function cellsOfRows({ buckets, filter, groupBy }: AggregateQuery, sourcePart: SourcePart): Cells {
  const { source, part, labels } = sourcePart
  const rows = partRows(
    part,
    groupBy.some(({ by }) => by === 'page'),
  )
  const groups = groupRows(part, rows, groupBy, labels)
  const { starts, of: bucketOf } = bucketsOfRows(buckets, part, rows)
  const { keys } = groups
  const leftOut = starts.length * keys.length
  const cells = numberCells(bucketOf, groups)
  const of = filter ? leaveOut(cells, rows.spread(passing(part, filter)), leftOut) : cells
  // No spread at the start: Node 20 takes microseconds to add properties to a copied object.
  return { source, part, labels, rows, of, counts: tally(of, leftOut + 1), starts, keys }
}

/** The bucket of each row; a part within one bucket need not decode its times. */
function bucketsOfRows(
  buckets: Buckets | null,
  part: Part,
  rows: PartRows,
): { readonly starts: readonly (number | null)[]; readonly of: Runs } {
  if (!buckets) return { starts: [null], of: oneRun(rows.count) }
  const first = startOfBucket(part.span.from, buckets)
  if (first === startOfBucket(part.span.to, buckets)) return { starts: [first], of: oneRun(rows.count) }
  const runs = timeRuns(rows.times(), (time) => bucketAt(time, buckets))
  return { starts: runs.values, of: runs }
}

function numberCells(bucketOf: Runs, groups: RowGroups): RowIndexes {
  const { of, keys } = groups
  const width = keys.length
  if (bucketOf.ends.length === 1) return of
  if (isRuns(of)) return crossRuns(bucketOf, of, (bucket, group) => bucket * width + group)
  const cells = new Int32Array(of.length)
  eachRun(bucketOf, (bucket, from, to) => assignCells(cells, from, to, bucket * width, of))
  return cells
}

/** The merged cells of all parts: one per bucket and group, bucket by bucket. */
export type Grid = {
  readonly starts: readonly (number | null)[]
  readonly keys: readonly GroupKeys[]
  readonly counts: Int32Array
  /** Per part: local cell index to grid cell index. */
  readonly cellOf: readonly Int32Array[]
}

const maxCells = 4_000_000

export function mergeCells({ buckets, groupBy }: AggregateQuery, all: readonly Cells[]): Grid {
  const starts = buckets ? distinctStarts(all) : [null]
  const { keys, numbers } = groupBy.length > 0 ? numberGroups(all) : { keys: [[]], numbers: all.map(() => [0]) }
  checkCells(starts.length, keys.length)
  const counts = new Int32Array(starts.length * keys.length)
  const bucketOf = new Map(starts.map((start, bucket) => [start, bucket]))
  const cellOf = all.map((cells, part) => {
    const groups = numbers[part] as readonly number[]
    const own = new Int32Array(cells.starts.length * groups.length)
    cells.starts.forEach((start, i) => {
      const first = (bucketOf.get(start) as number) * keys.length
      for (let j = 0; j < groups.length; j++) own[i * groups.length + j] = first + (groups[j] as number)
    })
    addCounts(cells.counts, own, counts)
    return own
  })
  return { starts, keys, counts, cellOf }
}

/** Throws `QueryTooLarge` if there are too many cells to put an answer together. */
export function checkCells(buckets: number, groups: number): void {
  if (buckets * groups > maxCells) throw new QueryTooLarge(`${buckets} buckets of ${groups} groups are more than ${maxCells} rows`)
}

function addCounts(counts: Int32Array, cellOf: Int32Array, sums: Int32Array): void {
  for (let own = 0; own < cellOf.length; own++) {
    const cell = cellOf[own] as number
    sums[cell] = (sums[cell] as number) + (counts[own] as number)
  }
}

/** The distinct groups in order, and for each part the numbers of its groups among them. */
function numberGroups(all: readonly Cells[]): { readonly keys: readonly GroupKeys[]; readonly numbers: readonly (readonly number[])[] } {
  const byFirst = new Map<GroupKey, Map<GroupKey, GroupKeys>>()
  /** Interns groups: one array for all occurrences of a group, which has one key or two. */
  const shared = (keys: GroupKeys): GroupKeys => {
    const [first = null, second = null] = keys
    const bySecond = byFirst.get(first) ?? new Map<GroupKey, GroupKeys>()
    byFirst.set(first, bySecond)
    const known = bySecond.get(second) ?? keys
    bySecond.set(second, known)
    return known
  }
  const parts = all.map((cells) => cells.keys.map(shared))
  const keys = [...byFirst.values()].flatMap((bySecond) => [...bySecond.values()]).sort(compareGroupKeys)
  const numberOf = new Map(keys.map((key, number) => [key, number]))
  return { keys, numbers: parts.map((groups) => groups.map((group) => numberOf.get(group) as number)) }
}

function distinctStarts(all: readonly Cells[]): (number | null)[] {
  const starts = new Set<number>()
  for (const cells of all) for (const start of cells.starts) starts.add(start as number)
  return [...starts].sort((a, b) => a - b)
}

/** A row of the answer; `cell` is null for a bucket without results. */
export type SeriesRow = { readonly start: number | null; readonly cell: number | null }
export type SeriesRows = { readonly keys: GroupKeys; readonly rows: readonly SeriesRow[] }

/** All series of the answer, before ordering and paging. */
export function wholeSeriesOf(query: AggregateQuery, grid: Grid): readonly SeriesRows[] {
  const { buckets, fill } = query
  if (buckets && fill && fill.from <= fill.to) checkCells(bucketsTouching(buckets, fill), grid.keys.length)
  return seriesOf({ ...query, rowPage: wholePage, groupPage: null }, grid)
}

/** The series on the group page, with their rows on the row page; series without rows are left out. */
export function seriesOf(query: AggregateQuery, grid: Grid): readonly SeriesRows[] {
  const { buckets, groupBy, rowPage, groupPage, fill } = query
  const whole = !buckets && groupBy.length === 0
  const all = whole ? [{ keys: [], rows: [{ start: null, cell: 0 }] }] : filledSeries(query, grid)
  const rowsOnPage = buckets && fill ? (rows: readonly SeriesRow[]) => withEmptyBuckets(query, rows) : null
  const paged = pageOf(all, groupPage).map(({ keys, rows }) => ({ keys, rows: rowsOnPage ? rowsOnPage(rows) : pageOf(rows, rowPage) }))
  return paged.filter(({ rows }) => rows.length > 0)
}

/** The rows with results of each group; without groups there is one series, even if it is empty. */
function filledSeries({ groupBy }: AggregateQuery, grid: Grid): readonly SeriesRows[] {
  const all = grid.keys.map((keys, group) => ({ keys, rows: filledRows(grid, group) }))
  return groupBy.length > 0 ? all.filter(({ rows }) => rows.length > 0) : all
}

function filledRows({ keys, counts, starts }: Grid, group: number): readonly SeriesRow[] {
  const rows: SeriesRow[] = []
  for (const [bucket, start] of starts.entries()) {
    const cell = bucket * keys.length + group
    if ((counts[cell] as number) > 0) rows.push({ start, cell })
  }
  return rows
}

/** All buckets of the page, including empty ones. */
function withEmptyBuckets({ buckets, fill, rowPage }: AggregateQuery, rows: readonly SeriesRow[]): readonly SeriesRow[] {
  if (!buckets || !fill || fill.from > fill.to || rowPage.offset >= bucketsTouching(buckets, fill)) return []
  const cells = new Map(rows.map(({ start, cell }) => [start, cell]))
  return startsOf(buckets, fill, rowPage).map((start) => ({ start, cell: cells.get(start) ?? null }))
}

/** The items of one page; all without paging. */
export function pageOf<T>(items: readonly T[], paging: Paging | null): readonly T[] {
  return paging ? items.slice(paging.offset, paging.offset + paging.limit) : items
}
