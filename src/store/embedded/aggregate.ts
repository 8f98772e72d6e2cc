import { grouped } from '../../grouped.ts'
import type { AggregateGroup, AggregateQuery, AggregateRow, Figure } from '../store.ts'
import { cellsOf, linesOf } from './cells.ts'
import { partition, type Slots, withoutGaps } from './kernels/partition.ts'
import { summarize } from './kernels/summarize.ts'
import { take } from './kernels/take.ts'
import { type Part, textAt } from './part.ts'
import { groupRows, pagesOf, passing, type Rows, rowsOf } from './rows.ts'

/** Answers an aggregated question over the results of its window. */
export function aggregate(query: AggregateQuery, part: Part): AggregateGroup[] {
  const rows = rowsOf(part, query.groupBy)
  const groups = groupRows(part, rows, query.groupBy)
  const cells = cellsOf(query, part, rows, groups, passing(part, query.filter))
  const lines = linesOf(query, groups.keys, cells)
  const chosen = lines.flatMap((line) => line.cells)
  const slots = cells.of && slotsOf(cells.of, cells.counts, chosen)
  const outcomes = countOutcomes(query, part, rows, slots, chosen.length)
  const values = chosen.length > 0 ? figureValues(query.figures, part, rows, slots) : []
  const slotOfCell = new Map(chosen.map((cell, slot) => [cell, slot]))
  return lines.map((line) => ({
    key: line.key,
    rows: line.cells.map((cell) => {
      const slot = slotOfCell.get(cell) as number
      const start = cells.starts[Math.floor((cell - 1) / groups.keys.length)] ?? null
      return { start, ...(outcomes[slot] as Outcomes), values: values.map((figure) => figure[slot] ?? null) }
    }),
  }))
}

type Outcomes = Pick<AggregateRow, 'total' | 'success' | 'retries' | 'pageUrl'>

/** A slot is a cell that is in the answer. */
function slotsOf(cells: Int32Array, cellCounts: readonly number[], chosen: readonly number[]): Slots {
  const slotOf = new Int32Array(cellCounts.length).fill(-1)
  chosen.forEach((cell, slot) => {
    slotOf[cell] = slot
  })
  return { cells, slotOf, counts: chosen.map((cell) => cellCounts[cell] as number) }
}

function countOutcomes(query: AggregateQuery, part: Part, rows: Rows, slots: Slots | null, slotCount: number): Outcomes[] {
  if (!query.outcomes && !rows.pages) return Array.from({ length: slotCount }, () => ({ total: 0, success: 0, retries: 0, pageUrl: null }))
  const flags = part.numbers('flags')
  const attempts = part.numbers('attempts')
  const [total, success, retries] = [new Int32Array(slotCount), new Int32Array(slotCount), new Float64Array(slotCount)]
  const newestRow = new Int32Array(slotCount)
  for (let row = 0; row < rows.count; row++) {
    const slot = slots ? (slots.slotOf[slots.cells[row] as number] as number) : 0
    if (slot < 0 || slot >= slotCount) continue
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

/** For each figure, its value in each slot. */
function figureValues(figures: readonly Figure[], part: Part, rows: Rows, slots: Slots | null): (number | null)[][] {
  const answers = new Map<Figure, (number | null)[]>()
  for (const [column, some] of grouped(figures, columnOf)) {
    const wanted = some.map(({ aggregation }) => aggregation)
    const summaries = partitioned(part, column, rows, slots).map((values) => summarize(values, wanted))
    some.forEach((figure, place) => {
      answers.set(
        figure,
        summaries.map((summary) => summary[place] ?? null),
      )
    })
  }
  return figures.map((figure) => answers.get(figure) ?? [])
}

const columnOf = ({ metric, perPage }: Figure) => `${perPage ? 'p' : 'v'}:${metric}`

/** The measured values of a column in each slot: run values repeat for each page of the run, page values follow their run. */
function partitioned(part: Part, column: string, rows: Rows, slots: Slots | null): Float64Array[] {
  const numbers = new Float64Array(part.lengthOf(column))
  const gaps = part.fill(column, numbers)
  const isOfPages = column.startsWith('p:')
  if (!slots) return [gaps ? withoutGaps(numbers) : numbers]
  if (rows.pages && !isOfPages) return partition(take(numbers, rows.pages.runs, new Float64Array(rows.count)), slots)
  if (rows.pages || !isOfPages) return partition(numbers, slots)
  const cells = take(slots.cells, pagesOf(part).runs, new Int32Array(numbers.length))
  return partition(numbers, { ...slots, cells, counts: pageCounts(cells, slots) })
}

function pageCounts(cells: Int32Array, { slotOf, counts }: Slots): number[] {
  const pages = counts.map(() => 0)
  for (const cell of cells) {
    const slot = slotOf[cell] as number
    if (slot >= 0) pages[slot] = (pages[slot] as number) + 1
  }
  return pages
}
