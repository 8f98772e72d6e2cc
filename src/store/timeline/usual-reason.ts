/** Number of results with each error, in the order of their newest result. */
export type ReasonCounts = Map<string, number>

/** Counts at most `maxReasons` different errors. */
export function countReason(counts: ReasonCounts, error: string | null, maxReasons = Number.POSITIVE_INFINITY): void {
  if (error === null || (counts.size >= maxReasons && !counts.has(error))) return
  const count = counts.get(error) ?? 0
  counts.delete(error)
  counts.set(error, count + 1)
}

/** The most frequent error; on a tie, the newest. */
export function usualReason(counts: ReasonCounts): string | null {
  let [reason, most]: [string | null, number] = [null, 0]
  for (const [error, count] of counts) if (count >= most) [reason, most] = [error, count]
  return reason
}
