import { absentInt, type Numbers } from './numbers.ts'

/** Consecutive rows that share an index: run `i` ends before row `ends[i]` and has the index `indexes[i]`. */
export type Runs = { readonly ends: readonly number[]; readonly indexes: readonly number[] }

/** An index for each row: by row, or by runs if it depends only on time. */
export type RowIndexes = Int32Array | Runs

export const isRuns = (of: RowIndexes): of is Runs => !(of instanceof Int32Array)

/** All rows have the index 0. */
export const oneRun = (count: number): Runs => ({ ends: [count], indexes: [0] })

export function eachRow(of: RowIndexes): Int32Array {
  if (of instanceof Int32Array) return of
  const rows = new Int32Array(of.ends.at(-1) ?? 0)
  eachRun(of, (index, from, to) => rows.fill(index, from, to))
  return rows
}

export function eachRun({ ends, indexes }: Runs, visit: (index: number, from: number, to: number) => void): void {
  let from = 0
  for (let run = 0; run < ends.length; run++) {
    const to = ends[run] as number
    visit(indexes[run] as number, from, to)
    from = to
  }
}

/** Splits rows wherever one of two lists of runs over them ends; `pairOf` gives the index of a pair of indexes. */
export function crossRuns(a: Runs, b: Runs, pairOf: (a: number, b: number) => number): Runs {
  const ends: number[] = []
  const indexes: number[] = []
  for (let i = 0, j = 0; i < a.ends.length && j < b.ends.length; ) {
    const [endA, endB] = [a.ends[i] as number, b.ends[j] as number]
    ends.push(Math.min(endA, endB))
    indexes.push(pairOf(a.indexes[i] as number, b.indexes[j] as number))
    if (endA <= endB) i++
    if (endB <= endA) j++
  }
  return { ends, indexes }
}

/** The values at these indexes, in the order of the indexes. */
export function take<Values extends Float64Array | Int32Array | Uint8Array>(values: Values, indexes: Int32Array): Values {
  const taken = new (values.constructor as new (length: number) => Values)(indexes.length)
  copy(values, indexes, taken)
  return taken
}

function copy(values: Float64Array | Int32Array | Uint8Array, indexes: Int32Array, target: Float64Array | Int32Array | Uint8Array) {
  for (let i = 0; i < indexes.length; i++) target[i] = values[indexes[i] as number] as number
}

/** Sets the cells of the rows `[from, to)` to `base` plus their group. */
export function assignCells(cells: Int32Array, from: number, to: number, base: number, groups: Int32Array): void {
  for (let row = from; row < to; row++) cells[row] = base + (groups[row] as number)
}

/** Assigns rows that do not pass to the cell `leftOut`. */
export function leaveOut(cells: RowIndexes, passes: Uint8Array, leftOut: number): Int32Array {
  const left = isRuns(cells) ? eachRow(cells) : cells.slice()
  for (let row = 0; row < left.length; row++) if (passes[row] === 0) left[row] = leftOut
  return left
}

export function tally(cells: RowIndexes, cellCount: number): Int32Array {
  const counts = new Int32Array(cellCount)
  if (cells instanceof Int32Array) countEach(cells, counts)
  else
    eachRun(cells, (cell, from, to) => {
      counts[cell] = (counts[cell] as number) + to - from
    })
  return counts
}

/** Unrolled by four: the loop costs more than the counting. */
function countEach(cells: Int32Array, counts: Int32Array): void {
  const fours = cells.length - (cells.length % 4)
  for (let row = 0; row < fours; row += 4) {
    countIn(counts, cells[row] as number)
    countIn(counts, cells[row + 1] as number)
    countIn(counts, cells[row + 2] as number)
    countIn(counts, cells[row + 3] as number)
  }
  for (let row = fours; row < cells.length; row++) countIn(counts, cells[row] as number)
}

function countIn(counts: Int32Array, cell: number): void {
  counts[cell] = (counts[cell] as number) + 1
}

/** Maps the entries of a column to slots: `of` has the cell of each entry, and `slotOf` the slot of each cell, −1 for none. */
export type Slots = { readonly of: RowIndexes; readonly slotOf: Int32Array }

/** Writes each number at the cursor of its cell, and advances the cursor. Unrolled by four, as `tally` is. */
export function scatter(values: Numbers, of: Int32Array, cursors: Int32Array, target: Numbers): void {
  const fours = of.length - (of.length % 4)
  for (let row = 0; row < fours; row += 4) {
    put(values[row] as number, of[row] as number, cursors, target)
    put(values[row + 1] as number, of[row + 1] as number, cursors, target)
    put(values[row + 2] as number, of[row + 2] as number, cursors, target)
    put(values[row + 3] as number, of[row + 3] as number, cursors, target)
  }
  for (let row = fours; row < of.length; row++) put(values[row] as number, of[row] as number, cursors, target)
}

function put(value: number, cell: number, cursors: Int32Array, target: Numbers): void {
  const at = cursors[cell] as number
  target[at] = value
  cursors[cell] = at + 1
}

/** As `scatter`, without absent numbers. */
export function scatterPresent(values: Numbers, of: Int32Array, cursors: Int32Array, target: Numbers): void {
  const absent = absentOf(values)
  for (let row = 0; row < of.length; row++) {
    const value = values[row] as number
    if (value !== absent && !Number.isNaN(value)) put(value, of[row] as number, cursors, target)
  }
}

/** Runs of entries, and the slot of the cell of each. */
type RunSlots = { readonly of: Runs; readonly slotOf: Int32Array }

/** Longer runs are copied by `TypedArray.set`, which costs more to call than a short loop. */
const maxLoopedRun = 100

/** Appends each run to its slot; `ends` has the current end of each slot. */
export function copyRuns(values: Numbers, { of, slotOf }: RunSlots, ends: Int32Array, target: Numbers): void {
  eachRun(of, (cell, from, to) => {
    const slot = slotOf[cell] as number
    if (slot < 0) return
    const at = ends[slot] as number
    if (to - from > maxLoopedRun) target.set(values.subarray(from, to), at)
    else for (let entry = from; entry < to; entry++) target[at + entry - from] = values[entry] as number
    ends[slot] = at + to - from
  })
}

/** As `copyRuns`, without absent numbers. */
export function copyPresentRuns(values: Numbers, { of, slotOf }: RunSlots, ends: Int32Array, target: Numbers): void {
  const absent = absentOf(values)
  eachRun(of, (cell, from, to) => {
    const slot = slotOf[cell] as number
    if (slot < 0) return
    let at = ends[slot] as number
    for (let entry = from; entry < to; entry++) {
      const value = values[entry] as number
      if (value !== absent && !Number.isNaN(value)) target[at++] = value
    }
    ends[slot] = at
  })
}

/** Removes absent numbers from `values` in place; returns the rest as a subarray. */
export function withoutGaps<Values extends Numbers>(values: Values): Values {
  const absent = absentOf(values)
  let end = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (value !== absent && !Number.isNaN(value)) values[end++] = value
  }
  return values.subarray(0, end) as Values
}

const absentOf = (values: Numbers) => (values instanceof Int32Array ? absentInt : Number.NaN)

/** Binary search in ascending times, from `first` on, for the first row that is not before a time. */
export function firstNotBefore(times: Float64Array, time: number, first = 0): number {
  let low = first
  let high = times.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] as number) < time) low = middle + 1
    else high = middle
  }
  return low
}
