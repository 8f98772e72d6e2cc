/** Which slot each row belongs to: `slotOf[cells[row]]`, −1 for none; and how many rows each slot has. */
export type Slots = { readonly cells: Int32Array; readonly slotOf: Int32Array; readonly counts: readonly number[] }

/** The numbers of each slot apart, in order, without those that are absent. */
export function partition(values: Float64Array, slots: Slots): Float64Array[] {
  const { counts } = slots
  const starts = new Int32Array(counts.length)
  for (let slot = 1; slot < counts.length; slot++) starts[slot] = (starts[slot - 1] as number) + (counts[slot - 1] as number)
  const ends = starts.slice()
  const parted = new Float64Array(counts.reduce((sum, count) => sum + count, 0))
  scatter(values, slots, ends, parted)
  return counts.map((_, slot) => parted.subarray(starts[slot], ends[slot]))
}

/** Puts each number at the end of its slot, which moves on. */
function scatter(values: Float64Array, { cells, slotOf }: Slots, ends: Int32Array, parted: Float64Array): void {
  for (let row = 0; row < cells.length; row++) {
    const slot = slotOf[cells[row] as number] as number
    const value = values[row] as number
    if (slot < 0 || Number.isNaN(value)) continue
    const at = ends[slot] as number
    parted[at] = value
    ends[slot] = at + 1
  }
}

/** The same numbers without those that are absent, in the place of `values`. */
export function withoutGaps(values: Float64Array): Float64Array {
  let kept = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (!Number.isNaN(value)) values[kept++] = value
  }
  return values.subarray(0, kept)
}
