import type { AggregateGroup, AggregateQuery, AggregateRow, Aggregation, Figure, GroupKey } from '../store.ts'
import { partition } from './kernels/partition.ts'
import { summarize } from './kernels/summarize.ts'
import { take } from './kernels/take.ts'
import { type Part, textAt } from './part.ts'
import { bucketRows, type Division, groupRows, pagesOf, passing, type Rows, rowsOf } from './rows.ts'

/** Answers an aggregated question over the results of its window. */
export function aggregate(query: AggregateQuery, part: Part): AggregateGroup[] {
  const rows = rowsOf(part, query.groupBy)
  const groups = groupRows(part, rows, query.groupBy)
  const buckets = bucketRows(part, rows, query.buckets)
  const cells = cellsOf(rows, groups, buckets, passing(part, query.filter))
  const cellCount = groups.keys.length * buckets.keys.length
  const lines = linesOf(query, groups.keys, buckets.keys.length, population(cells, rows, cellCount))
  const chosen = lines.flatMap((line) => line.cells)
  const slots = slotsOf(cells, cellCount, chosen)
  const outcomes = countOutcomes(query, part, rows, slots, chosen.length)
  const values = figureValues(query.figures, part, rows, slots, chosen.length)
  const slotOfCell = new Map(chosen.map((cell, slot) => [cell, slot]))
  return lines.map(({ key, cells }) => ({
    key,
    rows: cells.map((cell) => {
      const slot = slotOfCell.get(cell) as number
      const start = buckets.keys[cell % buckets.keys.length] ?? null
      return { start, ...(outcomes[slot] as Outcomes), values: values.map((figure) => figure[slot] ?? null) }
    }),
  }))
}

/** One series of the answer. A cell is one group in one bucket: one row. */
type Line = { readonly key: GroupKey; readonly cells: readonly number[] }

type Outcomes = Pick<AggregateRow, 'total' | 'success' | 'retries' | 'pageUrl'>

/** The cell of each row, −1 where the row does not count; null where all rows are in the one cell there is. */
function cellsOf(rows: Rows, groups: Division<GroupKey>, buckets: Division<number | null>, passes: Uint8Array | null): Int32Array | null {
  if (!groups.of && !buckets.of && !passes) return null
  const cells = new Int32Array(rows.count)
  const bucketCount = buckets.keys.length
  for (let row = 0; row < rows.count; row++) {
    const passed = !passes || passes[rows.pages ? (rows.pages.runs[row] as number) : row] === 1
    cells[row] = passed ? (groups.of?.[row] ?? 0) * bucketCount + (buckets.of?.[row] ?? 0) : -1
  }
  return cells
}

function population(cells: Int32Array | null, rows: Rows, cellCount: number): Int32Array {
  const counts = new Int32Array(cellCount)
  if (!cells) counts[0] = rows.count
  else
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row] as number
      if (cell >= 0) counts[cell] = (counts[cell] as number) + 1
    }
  return counts
}

/** The series of the answer, with the cells that the asked page holds. */
function linesOf(
  { buckets, groupBy, paging }: AggregateQuery,
  keys: readonly GroupKey[],
  bucketCount: number,
  counts: Int32Array,
): readonly Line[] {
  const page = <T>(rows: readonly T[]) => rows.slice(paging.offset, paging.offset + paging.limit)
  if (!buckets && !groupBy) return [{ key: null, cells: page([0]) }]
  const lines = keys.map((key, group) => {
    const cells = Array.from({ length: bucketCount }, (_, bucket) => group * bucketCount + bucket)
    return { key, cells: cells.filter((cell) => (counts[cell] as number) > 0) }
  })
  const present = groupBy ? lines.filter((line) => line.cells.length > 0) : lines
  return buckets ? present.map(({ key, cells }) => ({ key, cells: page(cells) })) : page(present)
}

/** The place of each row among the chosen cells, −1 where its cell is not chosen; null where all rows are chosen. */
function slotsOf(cells: Int32Array | null, cellCount: number, chosen: readonly number[]): Int32Array | null {
  if (!cells) return null
  const slotOfCell = new Int32Array(cellCount).fill(-1)
  chosen.forEach((cell, slot) => {
    slotOfCell[cell] = slot
  })
  const slots = new Int32Array(cells.length)
  for (let row = 0; row < cells.length; row++) {
    const cell = cells[row] as number
    slots[row] = cell < 0 ? -1 : (slotOfCell[cell] as number)
  }
  return slots
}

function countOutcomes(query: AggregateQuery, part: Part, rows: Rows, slots: Int32Array | null, slotCount: number): Outcomes[] {
  if (!query.outcomes && !rows.pages) return Array.from({ length: slotCount }, () => ({ total: 0, success: 0, retries: 0, pageUrl: null }))
  if (slotCount === 0) return []
  const flags = part.numbers('flags')
  const attempts = part.numbers('attempts')
  if (!slots && !rows.pages) return [{ total: rows.count, success: successes(flags), retries: sumOf(attempts) - rows.count, pageUrl: null }]
  const [total, success, retries] = [new Int32Array(slotCount), new Int32Array(slotCount), new Float64Array(slotCount)]
  const newestRow = new Int32Array(slotCount)
  for (let row = 0; row < rows.count; row++) {
    const slot = slots ? (slots[row] as number) : 0
    if (slot < 0) continue
    const run = rows.pages ? (rows.pages.runs[row] as number) : row
    total[slot] = (total[slot] as number) + 1
    success[slot] = (success[slot] as number) + (~(flags[run] as number) & 1)
    retries[slot] = (retries[slot] as number) + (attempts[run] as number) - 1
    newestRow[slot] = row
  }
  const urls = rows.pages && part.texts('pageUrl')
  return Array.from(total, (count, slot) => ({
    total: count,
    success: success[slot] as number,
    retries: retries[slot] as number,
    pageUrl: urls && textAt(urls, newestRow[slot] as number),
  }))
}

function successes(flags: Float64Array): number {
  let count = 0
  for (let run = 0; run < flags.length; run++) count += ~(flags[run] as number) & 1
  return count
}

function sumOf(numbers: Float64Array): number {
  let sum = 0
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] as number
  return sum
}

/** For each figure, its value in each slot. */
function figureValues(
  figures: readonly Figure[],
  part: Part,
  rows: Rows,
  slots: Int32Array | null,
  slotCount: number,
): (number | null)[][] {
  const wanted = new Map<string, Aggregation[]>()
  for (const figure of figures) wanted.set(columnOf(figure), [...(wanted.get(columnOf(figure)) ?? []), figure.aggregation])
  const summaries = new Map<string, (number | null)[][]>()
  for (const [column, aggregations] of wanted) {
    const { values, valueSlots } = align(part, column, rows, slots)
    const parted = slotCount > 0 ? partition(values, valueSlots, slotCount) : []
    summaries.set(
      column,
      parted.map((slice) => summarize(slice, aggregations)),
    )
  }
  return figures.map((figure) => {
    const place = wanted.get(columnOf(figure))?.indexOf(figure.aggregation) as number
    return summaries.get(columnOf(figure))?.map((summary) => summary[place] ?? null) ?? []
  })
}

const columnOf = ({ metric, perPage }: Figure) => `${perPage ? 'p' : 'v'}:${metric}`

/** The values of a column, and the slot of each: run values repeat for each page of the run, page values follow their run. */
function align(part: Part, column: string, rows: Rows, slots: Int32Array | null) {
  const numbers = part.numbers(column)
  const isOfPages = column.startsWith('p:')
  if (rows.pages && !isOfPages) return { values: take(numbers, rows.pages.runs, new Float64Array(rows.count)), valueSlots: slots }
  if (!rows.pages && isOfPages && slots)
    return { values: numbers, valueSlots: take(slots, pagesOf(part).runs, new Int32Array(numbers.length)) }
  return { values: numbers, valueSlots: slots }
}
