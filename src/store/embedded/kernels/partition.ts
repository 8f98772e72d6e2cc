/**
 * The numbers of each slot apart, in order; NaN and slot −1 fall away. Without slots there is one, which holds all and takes
 * the place of `values`.
 */
export function partition(values: Float64Array, slots: Int32Array | null, slotCount: number): Float64Array[] {
  if (!slots) return [withoutGaps(values)]
  const counts = new Int32Array(slotCount)
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] as number
    if (slot >= 0 && !Number.isNaN(values[i] as number)) counts[slot] = (counts[slot] as number) + 1
  }
  const parted = Array.from(counts, (count) => new Float64Array(count))
  const filled = new Int32Array(slotCount)
  for (let i = 0; i < slots.length; i++) {
    const slot = slots[i] as number
    const value = values[i] as number
    if (slot < 0 || Number.isNaN(value)) continue
    const at = filled[slot] as number
    const slice = parted[slot] as Float64Array
    slice[at] = value
    filled[slot] = at + 1
  }
  return parted
}

function withoutGaps(values: Float64Array): Float64Array {
  let kept = 0
  while (kept < values.length && !Number.isNaN(values[kept] as number)) kept++
  for (let i = kept; i < values.length; i++) {
    const value = values[i] as number
    if (!Number.isNaN(value)) values[kept++] = value
  }
  return kept === values.length ? values : values.subarray(0, kept)
}
