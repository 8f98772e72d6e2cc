import type { AggregateQuery, GroupKey } from '../store.ts'
import type { Part } from './part.ts'
import type { Groups, Rows } from './rows.ts'

/** Cell 0 is for rows that do not count; then, bucket by bucket, one for each group. */
export type Cells = {
  /** The cell of each row; null where there is one cell, which holds all rows. */
  readonly of: Int32Array | null
  /** How many rows each cell has. */
  readonly counts: readonly number[]
  /** The start of each bucket that has rows; one of null without buckets. */
  readonly starts: readonly (number | null)[]
}

/** Puts each row into its cell. Rows come in order of time, so each bucket is met once. */
export function cellsOf(query: AggregateQuery, part: Part, rows: Rows, groups: Groups, passes: Uint8Array | null): Cells {
  if (!groups.of && !query.buckets && !passes) return { of: null, counts: [0, rows.count], starts: [null] }
  const of = new Int32Array(rows.count)
  const groupCount = groups.keys.length
  const times = query.buckets && part.numbers('time')
  const { originMs, widthMs } = query.buckets ?? { originMs: 0, widthMs: 0 }
  const starts: (number | null)[] = times ? [] : [null]
  const counts: number[] = new Array(1 + (times ? 0 : groupCount)).fill(0)
  let base = 1
  let end = times ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  for (let row = 0; row < rows.count; row++) {
    const run = rows.pages ? (rows.pages.runs[row] as number) : row
    if (passes && passes[run] === 0) continue
    if (times && (times[run] as number) >= end) {
      const start = originMs + Math.floor(((times[run] as number) - originMs) / widthMs) * widthMs
      end = start + widthMs
      starts.push(start)
      base = counts.length
      for (let group = 0; group < groupCount; group++) counts.push(0)
    }
    const cell = base + (groups.of ? (groups.of[row] as number) : 0)
    of[row] = cell
    counts[cell] = (counts[cell] as number) + 1
  }
  return { of, counts, starts }
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
