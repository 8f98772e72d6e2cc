import { absentInt } from './column.ts'

/** Numbers, or whole thousandths of them: then `absentInt` stands for one that is absent, as NaN does among numbers. */
export type Numbers = Float64Array | Int32Array

/** Where the entries of a column go: the slot of an entry is `slotOf[of[entry]]`, −1 for none; without `of`, all go to `slotOf[0]`. */
export type Slots = { readonly of: Int32Array | null; readonly slotOf: Int32Array }

/** Puts each number that is there at the end of its slot in `parted`, which moves on. */
export function scatter(values: Numbers, { of, slotOf }: Slots, ends: Int32Array, parted: Numbers): void {
  if (of) scatterEach(values, of, slotOf, absentOf(values), ends, parted)
  else scatterAll(values, slotOf[0] as number, ends, parted)
}

function scatterAll(values: Numbers, slot: number, ends: Int32Array, parted: Numbers): void {
  if (slot < 0) return
  parted.set(values, ends[slot])
  ends[slot] = (ends[slot] as number) + values.length
}

function scatterEach(values: Numbers, of: Int32Array, slotOf: Int32Array, absent: number, ends: Int32Array, parted: Numbers): void {
  for (let row = 0; row < of.length; row++) {
    const slot = slotOf[of[row] as number] as number
    const value = values[row] as number
    if (slot < 0 || value === absent || Number.isNaN(value)) continue
    const at = ends[slot] as number
    parted[at] = value
    ends[slot] = at + 1
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
