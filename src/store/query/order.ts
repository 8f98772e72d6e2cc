import type { AggregateQuery, AggregateRow, Counts, Order } from '../store.ts'
import { pageOf, type SeriesRow, type SeriesRows } from './grid/grid.ts'

/** A sort key; rows ascend or descend, nulls last. */
type Ordered = number | null

/** Sorts the groups of an answer, or with buckets the rows of each group, by the value of each row; then cuts the pages. */
export function orderedSeries(
  query: AggregateQuery,
  all: readonly SeriesRows[],
  orderedBy: (row: SeriesRow) => Ordered,
): readonly SeriesRows[] {
  const { order, buckets, rowPage, groupPage } = query
  if (!order) return all
  const compare = compareOrdered(order)
  const byValue = <T>(items: readonly T[], of: (item: T) => Ordered) =>
    items
      .map((item) => ({ item, value: of(item) }))
      .sort((a, b) => compare(a.value, b.value))
      .map(({ item }) => item)
  const groups = buckets ? all.map(({ keys, rows }) => ({ keys, rows: byValue(rows, orderedBy) })) : byValue(all, ofFirstRow(orderedBy))
  const paged = pageOf(groups, groupPage).map(({ keys, rows }) => ({ keys, rows: pageOf(rows, rowPage) }))
  return paged.filter(({ rows }) => rows.length > 0)
}

const ofFirstRow =
  (orderedBy: (row: SeriesRow) => Ordered) =>
  ({ rows: [row] }: SeriesRows): Ordered =>
    row ? orderedBy(row) : null

export function compareOrdered({ direction }: Order): (a: Ordered, b: Ordered) => number {
  return (a, b) => {
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return direction === 'asc' ? a - b : b - a
  }
}

export function orderedCount(by: Exclude<Order['by'], number>, { total, success, retries }: Counts): Ordered {
  if (by === 'total') return total
  if (by === 'success') return success
  if (total === 0) return null
  return by === 'retries' ? retries : success / total
}

/** The sort key of a row. */
export function orderedValue({ by }: Order, { values, counts }: AggregateRow): Ordered {
  if (typeof by === 'number') return values[by] ?? null
  return counts && orderedCount(by, counts)
}
