import { grouped } from '../../grouped.ts'
import type { AggregateGroup, AggregateQuery, AggregateRow, Figure } from '../store.ts'
import { type Cells, cellsOf, linesOf, type Table, tableOf } from './cells.ts'
import { tally } from './kernels/cells.ts'
import { noTallies, tallyOutcomes } from './kernels/outcomes.ts'
import { type Numbers, type Slots, scatter, withoutGaps } from './kernels/partition.ts'
import { summarize } from './kernels/summarize.ts'
import { take } from './kernels/take.ts'
import { isPageColumn, type Part, textAt } from './part.ts'
import { pagesOf } from './rows.ts'

/** Answers an aggregated question over the results of its window, which come in parts in order of time. */
export function aggregate(query: AggregateQuery, parts: readonly Part[]): AggregateGroup[] {
  const all = parts.map((part) => cellsOf(query, part))
  const table = tableOf(query, all)
  const lines = linesOf(query, table)
  const chosen = lines.flatMap((line) => line.cells)
  const slotted = slottedCells(all, table, chosen)
  const outcomes = countOutcomes(query, slotted, chosen.length)
  const counts = chosen.map((cell) => table.counts[cell] as number)
  const values = chosen.length > 0 ? figureValues(query.figures, slotted, counts) : []
  let slot = 0
  return lines.map((line) => ({
    key: line.key,
    rows: line.cells.map((cell) => {
      const row = slot++
      const start = table.starts[Math.floor(cell / table.keys.length)] ?? null
      return { start, ...(outcomes[row] as Outcomes), values: values.map((figure) => figure[row] ?? null) }
    }),
  }))
}

type Outcomes = Pick<AggregateRow, 'total' | 'success' | 'retries' | 'pageUrl'>

/** The cells of a part, and for each the slot that it fills; a slot is a cell of the table that is in the answer. */
type Slotted = Cells & Slots

function slottedCells(all: readonly Cells[], { counts, places }: Table, chosen: readonly number[]): Slotted[] {
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

function countOutcomes({ outcomes }: AggregateQuery, all: readonly Slotted[], slotCount: number): Outcomes[] {
  const tallies = noTallies(slotCount)
  const byPage = all.some(({ rows }) => rows.pages)
  if (outcomes || byPage)
    all.forEach(({ part, rows, of, slotOf }, i) => {
      const [flags, attempts] = [rows.spread(part.ints('flags')), rows.spread(part.ints('attempts'))]
      tallyOutcomes(tallies, i, { flags, attempts }, { of, slotOf })
    })
  const urls = byPage ? all.map(({ part }) => part.texts('pageUrl')) : []
  return Array.from(tallies.total, (total, slot) => {
    const texts = urls[tallies.newestPart[slot] as number]
    return {
      total,
      success: tallies.success[slot] as number,
      retries: tallies.retries[slot] as number,
      pageUrl: texts ? textAt(texts, tallies.newestRow[slot] as number) : null,
    }
  })
}

/** For each figure, its value in each slot. */
function figureValues(figures: readonly Figure[], all: readonly Slotted[], counts: readonly number[]): (number | null)[][] {
  const answers = new Map<Figure, (number | null)[]>()
  for (const [column, some] of grouped(figures, columnOf)) {
    const wanted = some.map(({ aggregation }) => aggregation)
    const summaries = partitioned(column, all, counts).map((values) => summarize(values, wanted))
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
function partitioned(column: string, all: readonly Slotted[], rowCounts: readonly number[]): Numbers[] {
  const fillings = all.map((cells) => fillingOf(column, cells))
  const counts = fillings.some(({ isFiner }) => isFiner) ? countEntries(fillings, rowCounts.length) : rowCounts
  const starts = new Int32Array(counts.length)
  for (let slot = 1; slot < counts.length; slot++) starts[slot] = (starts[slot - 1] as number) + (counts[slot - 1] as number)
  const ends = starts.slice()
  const size = counts.reduce((sum, count) => sum + count, 0)
  const parted = all.every(({ part }) => part.holdsInts(column, 1000)) ? new Int32Array(size) : new Float64Array(size)
  for (const filling of fillings) fillSlots(filling, ends, parted)
  return counts.map((_, slot) => parted.subarray(starts[slot], ends[slot]))
}

/** How the entries of a column of a part find their slots. */
type Filling = Slots & {
  readonly part: Part
  readonly column: string
  /** Which entry goes where, where a row takes the entry of its run. */
  readonly entries: Int32Array | null
  /** Whether the column has several entries to a row. */
  readonly isFiner: boolean
}

function fillingOf(column: string, { part, rows, of, slotOf }: Slotted): Filling {
  const isFiner = isPageColumn(column) && !rows.pages
  const isCoarser = !isPageColumn(column) && rows.pages
  return {
    part,
    column,
    of: isFiner && of ? take(of, pagesOf(part).runs) : of,
    slotOf,
    entries: isCoarser ? isCoarser.runs : null,
    isFiner,
  }
}

function fillSlots({ part, column, of, slotOf, entries }: Filling, ends: Int32Array, parted: Numbers): void {
  const length = part.lengthOf(column)
  const slot = slotOf[0] as number
  if (!of && !entries) {
    if (slot < 0) return
    const target = parted.subarray(ends[slot], (ends[slot] as number) + length)
    const kept = fillFrom(part, column, target) ? withoutGaps(target).length : length
    ends[slot] = (ends[slot] as number) + kept
    return
  }
  const values = parted instanceof Int32Array ? new Int32Array(length) : new Float64Array(length)
  fillFrom(part, column, values)
  scatter(entries ? take(values, entries) : values, { of, slotOf }, ends, parted)
}

function fillFrom(part: Part, column: string, target: Numbers): boolean {
  return target instanceof Int32Array ? part.fillInts(column, 1000, target) : part.fill(column, target)
}

function countEntries(fillings: readonly Filling[], slotCount: number): number[] {
  const counts = new Array<number>(slotCount).fill(0)
  for (const { of, slotOf, column, part } of fillings) {
    const inCells = of ? tally(of, slotOf.length) : Int32Array.of(part.lengthOf(column))
    slotOf.forEach((slot, cell) => {
      if (slot >= 0) counts[slot] = (counts[slot] as number) + (inCells[cell] ?? 0)
    })
  }
  return counts
}
