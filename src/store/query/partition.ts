import { tally } from '../kernels/grid.ts'
import type { Numbers } from '../kernels/numbers.ts'
import { type Slots, scatter, scatterPresent, withoutGaps } from '../kernels/scatter.ts'
import { take } from '../kernels/take.ts'
import type { ScratchBuffer } from './buffers.ts'
import type { Cells } from './grid.ts'
import { isPageColumn, type Part } from './part.ts'
import { pagesOf } from './rows.ts'

/** The cells of a part with their slots; a slot is a cell of the grid that is in the answer. */
export type PartitionedCells = Cells & Slots

/** Memory for the numbers of a part, and for those of all slots, which last until the next column is partitioned. */
export type Buffers = { readonly values: ScratchBuffer; readonly partitioned: ScratchBuffer }

/** The measured values of a column in each slot: run values repeat for each page of the run, page values follow their run. */
export function partition(column: string, all: readonly PartitionedCells[], rowCounts: readonly number[], buffers: Buffers): Numbers[] {
  const fillings = all.map((cells) => fillingOf(column, cells))
  const counts = fillings.some(({ isFiner }) => isFiner) ? countEntries(fillings, rowCounts.length) : rowCounts
  const starts = new Int32Array(counts.length)
  for (let slot = 1; slot < counts.length; slot++) starts[slot] = (starts[slot - 1] as number) + (counts[slot - 1] as number)
  const ends = starts.slice()
  const size = counts.reduce((sum, count) => sum + count, 0)
  const scrap = Math.max(0, ...fillings.map(({ of }) => of?.length ?? 0))
  const partitioned = buffers.partitioned(holdsThousandths(all, column) ? 'ints' : 'doubles', size + scrap)
  for (const filling of fillings) fillSlots(filling, { ends, partitioned, scrap: size }, buffers)
  return counts.map((_, slot) => partitioned.subarray(starts[slot], ends[slot]))
}

const holdsThousandths = (all: readonly PartitionedCells[], column: string) => all.every(({ part }) => part.holdsInts(column, 1000))

/** A column of a part, and the slots of its entries. */
type Filling = Slots & {
  readonly part: Part
  readonly column: string
  /** For each row the entry of its run, where rows are pages and the column has one entry for each run. */
  readonly entries: Int32Array | null
  /** Whether the column has several entries for each row. */
  readonly isFiner: boolean
}

function fillingOf(column: string, { part, rows, of, slotOf }: PartitionedCells): Filling {
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

/** The numbers of all slots: where each ends so far, and where entries without a slot are written. */
type Target = { readonly ends: Int32Array; readonly partitioned: Numbers; readonly scrap: number }

/** Appends the entries of a part to their slots, and writes those without a slot into the scrap. */
function fillSlots(filling: Filling, { ends, partitioned, scrap }: Target, buffers: Buffers): void {
  const { of, slotOf } = filling
  if (!of) {
    fillSlot(filling, slotOf[0] as number, ends, partitioned)
    return
  }
  const values = buffers.values(kindOf(partitioned), of.length)
  const gaps = fillEntries(filling, values)
  const cursors = slotOf.map((slot) => (slot < 0 ? scrap : (ends[slot] as number)))
  ;(gaps ? scatterPresent : scatter)(values, of, cursors, partitioned)
  slotOf.forEach((slot, cell) => {
    if (slot >= 0) ends[slot] = cursors[cell] as number
  })
}

function fillSlot(filling: Filling, slot: number, ends: Int32Array, partitioned: Numbers): void {
  if (slot < 0) return
  const { part, column, entries } = filling
  const start = ends[slot] as number
  const target = partitioned.subarray(start, start + (entries ? entries.length : part.lengthOf(column)))
  const gaps = fillEntries(filling, target)
  ends[slot] = start + (gaps ? withoutGaps(target) : target).length
}

function fillEntries({ part, column, entries }: Filling, target: Numbers): boolean {
  if (!entries) return fillFrom(part, column, target)
  const values = kindOf(target) === 'ints' ? new Int32Array(part.lengthOf(column)) : new Float64Array(part.lengthOf(column))
  const gaps = fillFrom(part, column, values)
  target.set(take(values, entries))
  return gaps
}

const kindOf = (numbers: Numbers) => (numbers instanceof Int32Array ? 'ints' : 'doubles')

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
