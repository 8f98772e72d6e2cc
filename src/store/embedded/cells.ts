import type { AggregateQuery, GroupKey } from '../store.ts'
import { bucketsOf } from './kernels/buckets.ts'
import { leaveOut, number, tally } from './kernels/cells.ts'
import type { Part } from './part.ts'
import { type Groups, passing, type Rows } from './rows.ts'

/** Cell 0 is for rows that do not count; then, bucket by bucket, one for each group. */
export type Cells = {
  /** The cell of each row; null where there is one cell, which holds all rows. */
  readonly of: Int32Array | null
  /** How many rows each cell has. */
  readonly counts: Int32Array
  /** The start of each bucket; one of null without buckets. */
  readonly starts: readonly (number | null)[]
}

/** Puts each row into its cell. */
export function cellsOf({ buckets, filter }: AggregateQuery, part: Part, rows: Rows, groups: Groups): Cells {
  if (!groups.of && !buckets && !filter) return { of: null, counts: Int32Array.of(0, rows.count), starts: [null] }
  const of = new Int32Array(rows.count)
  const { starts, ends } = buckets
    ? bucketsOf(rows.spread(part.numbers('time')), buckets.originMs, buckets.widthMs)
    : { starts: [null], ends: [rows.count] }
  ends.forEach((end, bucket) => {
    number(of, ends[bucket - 1] ?? 0, end, 1 + bucket * groups.keys.length, groups.of)
  })
  if (filter) leaveOut(of, rows.spread(passing(part, filter)))
  return { of, counts: tally(of, 1 + starts.length * groups.keys.length), starts }
}

/** One series of the answer: the cells that are its rows. */
export type Line = { readonly key: GroupKey; readonly cells: readonly number[] }

/** The series of the answer, with the rows that the asked page holds. */
export function linesOf(
  { buckets, groupBy, paging }: AggregateQuery,
  keys: readonly GroupKey[],
  { counts, starts }: Cells,
): readonly Line[] {
  const page = <T>(rows: readonly T[]) => rows.slice(paging.offset, paging.offset + paging.limit)
  if (!buckets && !groupBy) return [{ key: null, cells: page([1]) }]
  const lines = keys.map((key, group) => {
    const cells = starts.map((_, bucket) => 1 + bucket * keys.length + group)
    return { key, cells: cells.filter((cell) => (counts[cell] as number) > 0) }
  })
  const present = groupBy ? lines.filter((line) => line.cells.length > 0) : lines
  return buckets ? present.map(({ key, cells }) => ({ key, cells: page(cells) })) : page(present)
}
