import { grouped } from '../../grouped.ts'
import { addUp, noteLast } from '../kernels/outcomes.ts'
import { summarize } from '../kernels/summarize.ts'
import { take } from '../kernels/take.ts'
import type { AggregateGroup, AggregateQuery, Counts, Figure } from '../store.ts'
import { type Cells, cellsOf, type Grid, mergeCells, seriesOf } from './grid.ts'
import { columnOf, type Part, textAt } from './part.ts'
import { type Buffers, type PartitionedCells, partition } from './partition.ts'

/** Answers an aggregated question over the results of its window; the parts are in order of time. */
export function aggregate(query: AggregateQuery, parts: readonly Part[], buffers: Buffers): AggregateGroup[] {
  const all = parts.map((part) => cellsOf(query, part))
  const grid = mergeCells(query, all)
  const series = seriesOf(query, grid)
  const answered = series.flatMap(({ cells }) => cells)
  const slotted = assignSlots(all, grid, answered)
  const counts = answered.map((cell) => grid.counts[cell] as number)
  const outcomes = query.counts ? countOutcomes(slotted, counts) : null
  const urls = newestUrls(slotted, counts.length)
  const values = answered.length > 0 ? figureValues(query.figures, slotted, counts, buffers) : []
  let slot = 0
  return series.map(({ key, cells }) => ({
    key,
    rows: cells.map((cell) => {
      const row = slot++
      const start = grid.starts[Math.floor(cell / grid.keys.length)] ?? null
      return { start, counts: outcomes?.[row] ?? null, pageUrl: urls[row] ?? null, values: values.map((figure) => figure[row] ?? null) }
    }),
  }))
}

/** Numbers the cells that are in the answer, and finds the slot of each cell of each part. */
function assignSlots(all: readonly Cells[], { counts, cellsOfParts }: Grid, answered: readonly number[]): PartitionedCells[] {
  const slotOfCell = new Int32Array(counts.length).fill(-1)
  answered.forEach((cell, slot) => {
    slotOfCell[cell] = slot
  })
  return all.map((cells, i) => {
    const own = cellsOfParts[i] as Int32Array
    const slotOf = new Int32Array(own.length + 1).fill(-1)
    slotOf.set(take(slotOfCell, own))
    return { ...cells, slotOf }
  })
}

function countOutcomes(all: readonly PartitionedCells[], totals: readonly number[]): Counts[] {
  const [failures, attempts] = [new Float64Array(totals.length), new Float64Array(totals.length)]
  for (const { part, rows, ...slots } of all) {
    addUp(rows.spread(part.ints('flags')), 1, slots, failures)
    addUp(rows.spread(part.ints('attempts')), -1, slots, attempts)
  }
  return totals.map((total, slot) => ({
    total,
    success: total - (failures[slot] as number),
    retries: (attempts[slot] as number) - total,
  }))
}

/** For each slot, where rows are pages, the URL of its newest. */
function newestUrls(all: readonly PartitionedCells[], slotCount: number): (string | null)[] {
  const urls = new Array<string | null>(slotCount).fill(null)
  for (const { part, rows, ...slots } of all) {
    if (!rows.pages) continue
    const texts = part.texts('pageUrl')
    const last = new Int32Array(slotCount).fill(-1)
    noteLast(slots, rows.count, last)
    last.forEach((row, slot) => {
      if (row >= 0) urls[slot] = textAt(texts, row)
    })
  }
  return urls
}

/** For each figure, its value in each slot. */
function figureValues(
  figures: readonly Figure[],
  all: readonly PartitionedCells[],
  counts: readonly number[],
  buffers: Buffers,
): (number | null)[][] {
  const answers = new Map<Figure, (number | null)[]>()
  for (const [column, some] of grouped(figures, columnOf)) {
    const wanted = some.map(({ aggregation }) => aggregation)
    const summaries = partition(column, all, counts, buffers).map((values) => summarize(values, wanted))
    some.forEach((figure, i) => {
      answers.set(
        figure,
        summaries.map((summary) => summary[i] ?? null),
      )
    })
  }
  return figures.map((figure) => answers.get(figure) ?? [])
}
