import type { Numbers } from '../../kernels/numbers.ts'
import {
  copyPresentRuns,
  copyRuns,
  isRuns,
  type RowIndexes,
  type Slots,
  scatter,
  scatterPresent,
  take,
  tally,
  withoutGaps,
} from '../../kernels/row-indexes.ts'
import { columnOf, isPageColumn, type Part, pageStarts, partPages } from '../parts/part.ts'
import type { Cells } from './grid.ts'

/** The cells of a part with the slot of each cell. A slot is a grid cell in the answer. */
export type PartitionedCells = Cells & Slots

/** Scratch memory: the values of one part, and those of all slots, which are valid until the next column is partitioned. */
export type Buffers = { readonly values: ScratchBuffer; readonly partitioned: ScratchBuffer }

/** The measured values of a column in each slot: run values repeat for each page of the run, page values follow their run. */
export function partition(column: number, all: readonly PartitionedCells[], rowCounts: readonly number[], buffers: Buffers): Numbers[] {
  const fillings = all.flatMap((cells) => fillingOf(column, cells) ?? [])
  const counts = fillings.some(({ isFiner }) => isFiner) ? countEntries(fillings, rowCounts.length) : rowCounts
  const starts = new Int32Array(counts.length)
  for (let slot = 1; slot < counts.length; slot++) starts[slot] = (starts[slot - 1] as number) + (counts[slot - 1] as number)
  const ends = starts.slice()
  const size = counts.reduce((sum, count) => sum + count, 0)
  const scrap = fillings.reduce((max, { of }) => (isRuns(of) ? max : Math.max(max, of.length)), 0)
  const isThousandths = fillings.every(({ part, column }) => part.holdsInts(column, 1000))
  const partitioned = buffers.partitioned(isThousandths ? 'ints' : 'doubles', size + scrap)
  for (const filling of fillings) fillSlots(filling, { ends, partitioned, scrap: size }, buffers)
  return counts.map((_, slot) => partitioned.subarray(starts[slot], ends[slot]))
}

/** Maps the entries of one column of a part to slots. */
type Filling = Slots & {
  readonly part: Part
  readonly column: string
  /** The run of each row, if rows are pages but the column has one entry per run; otherwise null. */
  readonly entries: Int32Array | null
  /** Whether the column has several entries per row. */
  readonly isFiner: boolean
}

/** Null if the source has no such column. */
function fillingOf(index: number, { source, part, rows, of, slotOf }: PartitionedCells): Filling | null {
  const metric = source.columns[index]
  if (!metric) return null
  const column = columnOf(metric)
  const isFiner = isPageColumn(column) && !rows.pages
  const isCoarser = !isPageColumn(column) && rows.pages
  return {
    part,
    column,
    of: isFiner ? ofPages(part, of) : of,
    slotOf,
    entries: isCoarser ? isCoarser.runs : null,
    isFiner,
  }
}

/** The cell of each page, given that of each run. */
function ofPages(part: Part, of: RowIndexes): RowIndexes {
  if (!isRuns(of)) return take(of, partPages(part).runs)
  const starts = pageStarts(part.ints('pages'))
  return { ...of, ends: of.ends.map((end) => starts[end] as number) }
}

/** A partition in progress: the current end of each slot, and the start of a scrap area for values of no slot. */
type Partitioning = { readonly ends: Int32Array; readonly partitioned: Numbers; readonly scrap: number }

/** Appends the entries of a part to their slots; entries of no slot go to the scrap area or are skipped. */
function fillSlots(filling: Filling, { ends, partitioned, scrap }: Partitioning, buffers: Buffers): void {
  const { of, slotOf } = filling
  if (isRuns(of) && of.ends.length === 1) {
    fillSlot(filling, slotOf[of.indexes[0] as number] as number, ends, partitioned)
    return
  }
  const values = buffers.values(kindOf(partitioned), isRuns(of) ? (of.ends.at(-1) ?? 0) : of.length)
  const gaps = fillEntries(filling, values)
  if (isRuns(of)) {
    ;(gaps ? copyPresentRuns : copyRuns)(values, { of, slotOf }, ends, partitioned)
    return
  }
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
  for (const { of, slotOf } of fillings) {
    const inCells = tally(of, slotOf.length)
    slotOf.forEach((slot, cell) => {
      if (slot >= 0) counts[slot] = (counts[slot] as number) + (inCells[cell] ?? 0)
    })
  }
  return counts
}

/** Returns memory that may be used until the next call; its content is undefined. */
type ScratchBuffer = (kind: 'ints' | 'doubles', length: number) => Numbers

const maxReusedBytes = 16 * 2 ** 20

/** Reuses one buffer, so that questions leave no garbage. */
export function createScratchBuffer(): ScratchBuffer {
  let reused = new ArrayBuffer(0)
  return (kind, length) => {
    const bytes = length * (kind === 'ints' ? Int32Array : Float64Array).BYTES_PER_ELEMENT
    const buffer = bytes <= reused.byteLength ? reused : new ArrayBuffer(bytes)
    if (bytes <= maxReusedBytes) reused = buffer
    return kind === 'ints' ? new Int32Array(buffer, 0, length) : new Float64Array(buffer, 0, length)
  }
}
