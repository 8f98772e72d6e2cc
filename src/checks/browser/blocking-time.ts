export type Task = { readonly start: number; readonly duration: number }

/**
 * Total Blocking Time: the part of each long task beyond 50 ms, from the first paint until the page is loaded and has had no long task for
 * five seconds.
 * Its source is injected into pages, so it must be self-contained.
 */
export function blockingTime(tasks: readonly Task[], firstPaint: number, loaded: number): number {
  let busyUntil = Math.max(firstPaint, loaded)
  let total = 0
  for (const { start, duration } of tasks) {
    if (start > busyUntil + 5000) break
    const end = start + duration
    total += Math.max(0, end - Math.max(start, firstPaint) - 50)
    busyUntil = Math.max(busyUntil, end)
  }
  return total
}
