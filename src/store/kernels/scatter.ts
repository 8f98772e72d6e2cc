import { absentInt, type Numbers } from './numbers.ts'
import { eachRun, type RowIndexes, type Runs } from './runs.ts'

/** Where the entries of a column go: `of` has the cell of each, and `slotOf` the slot of each cell, −1 for none. */
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

/** Appends each run to its slot, which ends at `ends[slot]` so far. */
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
