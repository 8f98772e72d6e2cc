import { grouped } from '../../grouped.ts'
import { addUp, noteLast } from '../kernels/outcomes.ts'
import { summarize } from '../kernels/summarize.ts'
import { take } from '../kernels/take.ts'
import type { AggregateGroup, AggregateQuery, Counts, Figure } from '../store.ts'
import { type Cells, cellsOf, type Grid, mergeCells, seriesOf } from './grid.ts'
import { columnOf, type Part, textAt } from './part.ts'
import { type Buffers, type PartitionedCells, partition } from './partition.ts'

/** Answers an aggregated question over the results of its window, which come in parts in order of time. */
export function aggregate(query: AggregateQuery, parts: readonly Part[], memory: Buffers): AggregateGroup[] {
  const all = parts.map((part) => cellsOf(query, part))
  const table = mergeCells(query, all)
  const lines = seriesOf(query, table)
  const chosen = lines.flatMap((line) => line.cells)
  const slotted = assignSlots(all, table, chosen)
  const counts = chosen.map((cell) => table.counts[cell] as number)
  const outcomes = query.counts ? countOutcomes(slotted, counts) : null
  const urls = newestUrls(slotted, counts.length)
  const values = chosen.length > 0 ? figureValues(query.figures, slotted, counts, memory) : []
  let slot = 0
  return lines.map((line) => ({
    key: line.key,
    rows: line.cells.map((cell) => {
      const row = slot++
      const start = table.starts[Math.floor(cell / table.keys.length)] ?? null
      return { start, counts: outcomes?.[row] ?? null, pageUrl: urls[row] ?? null, values: values.map((figure) => figure[row] ?? null) }
    }),
  }))
}

function assignSlots(all: readonly Cells[], { counts, places }: Grid, chosen: readonly number[]): PartitionedCells[] {
  const slotOfPlace = new Int32Array(counts.length).fill(-1)
  chosen.forEach((cell, slot) => {
    slotOfPlace[cell] = slot
  })
  return all.map((cells, i) => {
    const own = places[i] as Int32Array
    const slotOf = new Int32Array(own.length + 1).fill(-1)
    slotOf.set(take(slotOfPlace, own))
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
  memory: Buffers,
): (number | null)[][] {
  const answers = new Map<Figure, (number | null)[]>()
  for (const [column, some] of grouped(figures, columnOf)) {
    const wanted = some.map(({ aggregation }) => aggregation)
    const summaries = partition(column, all, counts, memory).map((values) => summarize(values, wanted))
    some.forEach((figure, place) => {
      answers.set(
        figure,
        summaries.map((summary) => summary[place] ?? null),
      )
    })
  }
  return figures.map((figure) => answers.get(figure) ?? [])
}
