import { absentInt, type Numbers } from './numbers.ts'

/** Where the entries of a column go: the slot of an entry is `slotOf[of[entry]]`, −1 for none; without `of`, all go to `slotOf[0]`. */
export type Slots = { readonly of: Int32Array | null; readonly slotOf: Int32Array }

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
