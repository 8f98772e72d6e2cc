import type { Slots } from './scatter.ts'

/** Adds, slot by slot, those bits of each row's number that the mask lets through. */
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

/** Notes, slot by slot, the last of its rows; a slot without rows here keeps what it has. */
export function noteLast({ of, slotOf }: Slots, count: number, last: Int32Array): void {
  for (let row = 0; row < count; row++) {
    const slot = slotOf[of ? (of[row] as number) : 0] as number
    if (slot >= 0) last[slot] = row
  }
}
