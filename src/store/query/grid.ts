import { bucketStart, bucketsOf } from '../kernels/buckets.ts'
import { leaveOut, number, tally } from '../kernels/grid.ts'
import type { AggregateQuery, GroupKey } from '../store.ts'
import { pageOf } from './page-of.ts'
import type { Part } from './part.ts'
import { compareKeys, groupRows, passing, type Rows, rowsOf } from './rows.ts'

/** The cells of a part: one for each bucket and group, bucket by bucket, and a last one for rows that do not count. */
export type Cells = {
  readonly part: Part
  readonly rows: Rows
  /** The cell of each row; null where all are in the first. */
  readonly of: Int32Array | null
  readonly counts: Int32Array
  /** The start of each bucket; one of null without buckets. */
  readonly starts: readonly (number | null)[]
  readonly keys: readonly GroupKey[]
}

/** Finds the cell of each row of a part. */
export function cellsOf({ buckets, filter, groupBy }: AggregateQuery, part: Part): Cells {
  const rows = rowsOf(part, groupBy)
  const groups = groupRows(part, rows, groupBy)
  const { starts, ends } = bucketsOfRows(buckets, part, rows)
  const { keys } = groups
  const leftOut = starts.length * keys.length
  if (leftOut === 1 && !filter) return { part, rows, of: null, counts: Int32Array.of(rows.count, 0), starts, keys }
  const of = starts.length === 1 && groups.of && !filter ? groups.of : new Int32Array(rows.count)
  if (of !== groups.of)
    ends.forEach((end, bucket) => {
      number(of, ends[bucket - 1] ?? 0, end, bucket * keys.length, groups.of)
    })
  if (filter) leaveOut(of, rows.spread(passing(part, filter)), leftOut)
  return { part, rows, of, counts: tally(of, leftOut + 1), starts, keys }
}

/** The buckets of the rows; the times of a part within one bucket are not decoded. */
function bucketsOfRows(
  buckets: AggregateQuery['buckets'],
  part: Part,
  rows: Rows,
): { readonly starts: readonly (number | null)[]; readonly ends: readonly number[] } {
  if (!buckets) return { starts: [null], ends: [rows.count] }
  const first = bucketStart(part.span.from, buckets)
  if (first === bucketStart(part.span.to, buckets)) return { starts: [first], ends: [rows.count] }
  return bucketsOf(rows.spread(part.numbers('time')), buckets)
}

/** The merged cells of all parts: one for each bucket and group, bucket by bucket. */
export type Grid = {
  readonly starts: readonly (number | null)[]
  readonly keys: readonly GroupKey[]
  readonly counts: Int32Array
  /** For each part, the grid's cell of each of its own cells. */
  readonly cellsOfParts: readonly Int32Array[]
}

/** Merges the cells of parts, which are in order of time. */
export function mergeCells({ buckets, groupBy }: AggregateQuery, all: readonly Cells[]): Grid {
  const keys = groupBy ? [...new Set(all.flatMap((cells) => cells.keys))].sort(compareKeys) : [null]
  const starts: (number | null)[] = buckets ? [] : [null]
  const firsts = all.map((cells) => {
    const first = starts.length > 0 && starts.at(-1) === cells.starts[0] ? starts.length - 1 : starts.length
    starts.push(...cells.starts.slice(starts.length - first))
    return first
  })
  const counts = new Int32Array(starts.length * keys.length)
  const groupOf = new Map(keys.map((key, group) => [key, group]))
  const cellsOfParts = all.map((cells, i) => {
    const own = cells.keys.map((key) => groupOf.get(key) as number)
    const first = (firsts[i] as number) * keys.length
    return Int32Array.from({ length: cells.starts.length * own.length }, (_, cell) => {
      const merged = first + Math.floor(cell / own.length) * keys.length + (own[cell % own.length] as number)
      counts[merged] = (counts[merged] as number) + (cells.counts[cell] as number)
      return merged
    })
  })
  return { starts, keys, counts, cellsOfParts }
}

/** One series of the answer: the cells that are its rows. */
export type SeriesCells = { readonly key: GroupKey; readonly cells: readonly number[] }

/** The series of the answer: those on the group page, with their rows on the row page; none without a row. */
export function seriesOf({ buckets, groupBy, rowPage, groupPage }: AggregateQuery, grid: Grid): readonly SeriesCells[] {
  const all = !buckets && !groupBy ? [{ key: null, cells: [0] }] : filledSeries(grid)
  const paged = pageOf(all, groupPage).map(({ key, cells }) => ({ key, cells: pageOf(cells, rowPage) }))
  return paged.filter(({ cells }) => cells.length > 0)
}

/** The cells of each group that have rows. */
function filledSeries({ keys, counts, starts }: Grid): readonly SeriesCells[] {
  const all = keys.map((key, group) => {
    const cells = starts.map((_, bucket) => bucket * keys.length + group)
    return { key, cells: cells.filter((cell) => (counts[cell] as number) > 0) }
  })
  return all.filter(({ cells }) => cells.length > 0)
}
