import type { Slots } from './scatter.ts'

/** Adds the masked number of each row to the sum of its slot. */
export function addUp(values: Int32Array, mask: number, { of, slotOf }: Slots, sums: Float64Array): void {
  const slot = slotOf[0] as number
  if (of) addEach(values, mask, of, slotOf, sums)
  else if (slot >= 0) sums[slot] = (sums[slot] as number) + total(values, mask)
}

function addEach(values: Int32Array, mask: number, of: Int32Array, slotOf: Int32Array, sums: Float64Array): void {
  for (let row = 0; row < of.length; row++) {
    const slot = slotOf[of[row] as number] as number
    if (slot >= 0) sums[slot] = (sums[slot] as number) + ((values[row] as number) & mask)
  }
}

function total(values: Int32Array, mask: number): number {
  let sum = 0
  for (let row = 0; row < values.length; row++) sum += (values[row] as number) & mask
  return sum
}

/** Sets the last row of each slot; a slot without rows is not changed. */
export function noteLast({ of, slotOf }: Slots, count: number, last: Int32Array): void {
  for (let row = 0; row < count; row++) {
    const slot = slotOf[of ? (of[row] as number) : 0] as number
    if (slot >= 0) last[slot] = row
  }
}
