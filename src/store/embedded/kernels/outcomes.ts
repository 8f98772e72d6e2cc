/** For each slot: how many rows, how many of them without failure, how many retries, and which row of which part came last. */
export type Tallies = {
  readonly total: Float64Array
  readonly success: Float64Array
  readonly retries: Float64Array
  readonly newestRow: Int32Array
  readonly newestPart: Int32Array
}

export function noTallies(slotCount: number): Tallies {
  const counts = () => new Float64Array(slotCount)
  return {
    total: counts(),
    success: counts(),
    retries: counts(),
    newestRow: new Int32Array(slotCount),
    newestPart: new Int32Array(slotCount),
  }
}

/** Adds the rows of a part. */
export function tallyOutcomes(
  tallies: Tallies,
  part: number,
  { flags, attempts }: { readonly flags: Int32Array; readonly attempts: Int32Array },
  { of, slotOf }: { readonly of: Int32Array | null; readonly slotOf: Int32Array },
): void {
  const { total, success, retries, newestRow, newestPart } = tallies
  for (let row = 0; row < flags.length; row++) {
    const slot = slotOf[of ? (of[row] as number) : 0] as number
    if (slot < 0) continue
    total[slot] = (total[slot] as number) + 1
    success[slot] = (success[slot] as number) + (~(flags[row] as number) & 1)
    retries[slot] = (retries[slot] as number) + (attempts[row] as number) - 1
    newestRow[slot] = row
    newestPart[slot] = part
  }
}
