import { grouped } from '../../grouped.ts'
import type { AggregateGroup, AggregateQuery, AggregateRow, Figure } from '../store.ts'
import { type Cells, cellsOf, linesOf, type Table, tableOf } from './cells.ts'
import { tally } from './kernels/cells.ts'
import { addUp, noteLast } from './kernels/outcomes.ts'
import { type Numbers, type Slots, scatter, scatterPresent, withoutGaps } from './kernels/partition.ts'
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
  const counts = chosen.map((cell) => table.counts[cell] as number)
  const outcomes = countOutcomes(query, slotted, counts)
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

function countOutcomes({ outcomes }: AggregateQuery, all: readonly Slotted[], counts: readonly number[]): Outcomes[] {
  const [failures, attempts] = [new Float64Array(counts.length), new Float64Array(counts.length)]
  if (outcomes)
    for (const { part, rows, ...slots } of all) {
      addUp(rows.spread(part.ints('flags')), 1, slots, failures)
      addUp(rows.spread(part.ints('attempts')), -1, slots, attempts)
    }
  const urls = newestUrls(all, counts.length)
  return counts.map((count, slot) => {
    const total = outcomes ? count : 0
    return { total, success: total - (failures[slot] as number), retries: (attempts[slot] as number) - total, pageUrl: urls[slot] ?? null }
  })
}

/** For each slot, where rows are pages, the URL of its newest. */
function newestUrls(all: readonly Slotted[], slotCount: number): (string | null)[] {
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
  const scrap = Math.max(0, ...fillings.map(({ of }) => of?.length ?? 0))
  const parted = new (holdsThousandths(all, column) ? Int32Array : Float64Array)(size + scrap)
  for (const filling of fillings) fillSlots(filling, ends, parted, size)
  return counts.map((_, slot) => parted.subarray(starts[slot], ends[slot]))
}

const holdsThousandths = (all: readonly Slotted[], column: string) => all.every(({ part }) => part.holdsInts(column, 1000))

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

/** Puts the entries of a part behind those that are in their slots already, and entries of no slot into the scrap. */
function fillSlots(filling: Filling, ends: Int32Array, parted: Numbers, scrap: number): void {
  const { of, slotOf } = filling
  if (!of) {
    fillSlot(filling, slotOf[0] as number, ends, parted)
    return
  }
  const values = alike(parted, of.length)
  const gaps = fillEntries(filling, values)
  const cursors = slotOf.map((slot) => (slot < 0 ? scrap : (ends[slot] as number)))
  ;(gaps ? scatterPresent : scatter)(values, of, cursors, parted)
  slotOf.forEach((slot, cell) => {
    if (slot >= 0) ends[slot] = cursors[cell] as number
  })
}

function fillSlot(filling: Filling, slot: number, ends: Int32Array, parted: Numbers): void {
  if (slot < 0) return
  const { part, column, entries } = filling
  const start = ends[slot] as number
  const target = parted.subarray(start, start + (entries ? entries.length : part.lengthOf(column)))
  const gaps = fillEntries(filling, target)
  ends[slot] = start + (gaps ? withoutGaps(target) : target).length
}

function fillEntries({ part, column, entries }: Filling, target: Numbers): boolean {
  if (!entries) return fillFrom(part, column, target)
  const values = alike(target, part.lengthOf(column))
  const gaps = fillFrom(part, column, values)
  target.set(take(values, entries))
  return gaps
}

const alike = (numbers: Numbers, length: number) => new (numbers instanceof Int32Array ? Int32Array : Float64Array)(length)

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
