type Limits = { readonly firstMs?: number; readonly maxMs: number }

/** Exponential back-off: the delay doubles with each failure in a row. */
export function backoffMs(failures: number, { firstMs = 1000, maxMs }: Limits): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1))
}

/** A random part of a delay, at least half of it, so that clients do not retry at the same time. */
export function jittered(delayMs: number, random: () => number = Math.random): number {
  return delayMs * (0.5 + random() / 2)
}
