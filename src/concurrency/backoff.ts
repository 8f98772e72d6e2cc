type Limits = { readonly firstMs?: number; readonly maxMs: number }

/** Exponential back-off: the delay doubles with each failure in a row. */
export function backoffMs(failures: number, { firstMs = 1000, maxMs }: Limits): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1))
}

/** Half of a delay to all of it, so that clients do not return all at once. */
export function jittered(delayMs: number, random: () => number = Math.random): number {
  return delayMs * (0.5 + random() / 2)
}
