import { joined } from '../../collections/lists.ts'
import { createTurns, mapInTurns } from '../../concurrency/turns.ts'
import type { AggregateAnswer, AggregateGroup, AggregateRow, Counts, GroupKey } from '../store.ts'

/** An answer as columns over all of its rows, group by group: a few arrays pass between threads much faster than an object for each row. */
export type PackedAnswer = Pick<AggregateAnswer, 'results' | 'bounds'> & {
  readonly groups: readonly (readonly GroupKey[])[]
  /** How many rows each group has. */
  readonly rows: Int32Array
  /** Null without buckets. */
  readonly starts: Float64Array | null
  /** The total, success and retries of each row. */
  readonly counts: Float64Array | null
  readonly pageUrls: readonly (string | null)[] | null
  /** The values of each row; NaN for null. */
  readonly values: Float64Array
  readonly histograms: readonly (readonly number[])[] | null
  /** Others cannot add up these results without rounding: they must be read. */
  readonly isInexact?: boolean
}

export function packAnswer({ groups, results, bounds }: AggregateAnswer): PackedAnswer {
  const rows = joined(groups.map((group) => group.rows))
  const [first] = rows
  const numbers = (width: number, numbersOf: (row: AggregateRow) => readonly (number | null)[]) => {
    const packed = new Float64Array(rows.length * width)
    rows.forEach((row, i) => {
      numbersOf(row).forEach((number, j) => {
        packed[i * width + j] = number ?? Number.NaN
      })
    })
    return packed
  }
  return {
    results,
    bounds,
    groups: groups.map(({ keys }) => keys),
    rows: Int32Array.from(groups, (group) => group.rows.length),
    starts: first && first.start !== null ? numbers(1, ({ start }) => [start]) : null,
    counts: first?.counts ? numbers(3, ({ counts }) => (counts ? [counts.total, counts.success, counts.retries] : [])) : null,
    pageUrls: rows.some(({ pageUrl }) => pageUrl !== null) ? rows.map(({ pageUrl }) => pageUrl) : null,
    values: numbers(first?.values.length ?? 0, ({ values }) => values),
    histograms: first?.histogram ? rows.map(({ histogram }) => histogram ?? []) : null,
  }
}

/** A large answer is unpacked in several turns of the event loop. */
export async function unpackAnswer(packed: PackedAnswer): Promise<AggregateAnswer> {
  const { rowAt, endOf } = packedRows(packed)
  const values = packed.values.length / Math.max(1, endOf(packed.groups.length - 1))
  const turns = createTurns()
  const groups: AggregateGroup[] = []
  for (const [group, keys] of packed.groups.entries()) {
    const first = endOf(group - 1)
    const places = Array.from({ length: endOf(group) - first }, (_, row) => first + row)
    groups.push({ keys, rows: await mapInTurns(places, { turns, values }, rowAt) })
  }
  return { groups, results: packed.results, bounds: packed.bounds }
}

/** Unpacks single groups. */
export function groupReader(packed: PackedAnswer): (group: number) => AggregateGroup {
  const { rowAt, endOf } = packedRows(packed)
  return (group) => {
    const rows: AggregateRow[] = []
    for (let row = endOf(group - 1); row < endOf(group); row++) rows.push(rowAt(row))
    return { keys: packed.groups[group] ?? [], rows }
  }
}

function packedRows(packed: PackedAnswer) {
  const ends = packed.rows.slice()
  for (let group = 1; group < ends.length; group++) ends[group] = (ends[group] as number) + (ends[group - 1] as number)
  return { rowAt: rowReader(packed), endOf: (group: number) => (group < 0 ? 0 : (ends[group] as number)) }
}

function rowReader({ rows, starts, counts, pageUrls, values, histograms }: PackedAnswer): (row: number) => AggregateRow {
  const figures = values.length / rows.reduce((sum, count) => sum + count, 0)
  const valuesAt = (row: number) => {
    const own: (number | null)[] = []
    for (let at = row * figures; at < (row + 1) * figures; at++) own.push(Number.isNaN(values[at]) ? null : (values[at] as number))
    return own
  }
  return (row) => ({
    start: starts && (starts[row] as number),
    counts: counts && countsAt(counts, row),
    pageUrl: pageUrls?.[row] ?? null,
    values: valuesAt(row),
    histogram: histograms?.[row] ?? null,
  })
}

function countsAt(counts: Float64Array, row: number): Counts {
  return { total: counts[3 * row] as number, success: counts[3 * row + 1] as number, retries: counts[3 * row + 2] as number }
}
