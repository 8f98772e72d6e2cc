import { absentInt, type Numbers } from './numbers.ts'

/** Where the entries of a column go: the slot of an entry is `slotOf[of[entry]]`, −1 for none; without `of`, all go to `slotOf[0]`. */
export type Slots = { readonly of: Int32Array | null; readonly slotOf: Int32Array }

/** Puts each number where the cursor of its cell points to, which moves on. Four at a time, as in `tally`. */
export function scatter(values: Numbers, of: Int32Array, cursors: Int32Array, parted: Numbers): void {
  const fours = of.length - (of.length % 4)
  for (let row = 0; row < fours; row += 4) {
    put(values[row] as number, of[row] as number, cursors, parted)
    put(values[row + 1] as number, of[row + 1] as number, cursors, parted)
    put(values[row + 2] as number, of[row + 2] as number, cursors, parted)
    put(values[row + 3] as number, of[row + 3] as number, cursors, parted)
  }
  for (let row = fours; row < of.length; row++) put(values[row] as number, of[row] as number, cursors, parted)
}

function put(value: number, cell: number, cursors: Int32Array, parted: Numbers): void {
  const at = cursors[cell] as number
  parted[at] = value
  cursors[cell] = at + 1
}

/** As `scatter`, but leaves out those that are absent. */
export function scatterPresent(values: Numbers, of: Int32Array, cursors: Int32Array, parted: Numbers): void {
  const absent = absentOf(values)
  for (let row = 0; row < of.length; row++) {
    const value = values[row] as number
    if (value !== absent && !Number.isNaN(value)) put(value, of[row] as number, cursors, parted)
  }
}

/** The same numbers without those that are absent, in the place of `values`. */
export function withoutGaps<Values extends Numbers>(values: Values): Values {
  const absent = absentOf(values)
  let kept = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (value !== absent && !Number.isNaN(value)) values[kept++] = value
  }
  return values.subarray(0, kept) as Values
}

const absentOf = (values: Numbers) => (values instanceof Int32Array ? absentInt : Number.NaN)
