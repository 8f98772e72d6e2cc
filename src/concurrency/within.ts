import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for work, but no longer than this; the work goes on. Work that fails in this time counts as not done. Without a limit it is
 * awaited, and rejects where it does.
 */
export async function within(work: Promise<unknown>, waitMs: number | undefined): Promise<void> {
  if (waitMs === undefined) return void (await work)
  const timeout = new AbortController()
  await Promise.race([work.catch(() => {}), sleep(waitMs, undefined, { signal: timeout.signal }).catch(() => {})])
  timeout.abort()
}
