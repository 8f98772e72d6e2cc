import { eachRow, eachRun, type Slots } from './row-indexes.ts'

/** Adds the masked number of each row to the sum of its slot. */
export function addUp(values: Int32Array, mask: number, { of, slotOf }: Slots, sums: Float64Array): void {
  if (of instanceof Int32Array) addEach(values, mask, of, slotOf, sums)
  else
    eachRun(of, (cell, from, to) => {
      const slot = slotOf[cell] as number
      if (slot >= 0) sums[slot] = (sums[slot] as number) + total(values, mask, from, to)
    })
}

function addEach(values: Int32Array, mask: number, of: Int32Array, slotOf: Int32Array, sums: Float64Array): void {
  for (let row = 0; row < of.length; row++) {
    const slot = slotOf[of[row] as number] as number
    if (slot >= 0) sums[slot] = (sums[slot] as number) + ((values[row] as number) & mask)
  }
}

function total(values: Int32Array, mask: number, from: number, to: number): number {
  let sum = 0
  for (let row = from; row < to; row++) sum += (values[row] as number) & mask
  return sum
}

/** Sets the last row of each slot; a slot without rows is not changed. */
export function noteLast({ of, slotOf }: Slots, last: Int32Array): void {
  const cells = eachRow(of)
  for (let row = 0; row < cells.length; row++) {
    const slot = slotOf[cells[row] as number] as number
    if (slot >= 0) last[slot] = row
  }
}
