import type { Slots } from './partition.ts'

/** For each slot: how many rows, how many of them without failure, how many retries, and which row came last. */
export function tallyOutcomes(flags: Float64Array, attempts: Float64Array, slots: Slots | null, slotCount: number) {
  const [total, success, newestRow] = [new Int32Array(slotCount), new Int32Array(slotCount), new Int32Array(slotCount)]
  const retries = new Float64Array(slotCount)
  for (let row = 0; row < flags.length; row++) {
    const slot = slots ? (slots.slotOf[slots.cells[row] as number] as number) : 0
    if (slot < 0 || slot >= slotCount) continue
    total[slot] = (total[slot] as number) + 1
    success[slot] = (success[slot] as number) + (~(flags[row] as number) & 1)
    retries[slot] = (retries[slot] as number) + (attempts[row] as number) - 1
    newestRow[slot] = row
  }
  return { total, success, retries, newestRow }
}
