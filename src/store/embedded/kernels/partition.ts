import { absentInt } from './column.ts'

/** Numbers, or whole thousandths of them: then `absentInt` stands for one that is absent, as NaN does among numbers. */
export type Numbers = Float64Array | Int32Array

/** Where the entries of a column go: the slot of an entry is `slotOf[of[entry]]`, −1 for none; without `of`, all go to `slotOf[0]`. */
export type Slots = { readonly of: Int32Array | null; readonly slotOf: Int32Array }

/** Puts each number where the cursor of its cell points to, which moves on. */
export function scatter(values: Numbers, of: Int32Array, cursors: Int32Array, parted: Numbers): void {
  for (let row = 0; row < of.length; row++) {
    const cell = of[row] as number
    const at = cursors[cell] as number
    parted[at] = values[row] as number
    cursors[cell] = at + 1
  }
}

/** As `scatter`, but leaves out those that are absent. */
export function scatterPresent(values: Numbers, of: Int32Array, cursors: Int32Array, parted: Numbers): void {
  const absent = absentOf(values)
  for (let row = 0; row < of.length; row++) {
    const value = values[row] as number
    if (value === absent || Number.isNaN(value)) continue
    const cell = of[row] as number
    const at = cursors[cell] as number
    parted[at] = value
    cursors[cell] = at + 1
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
