import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits for work, at most `waitMs`; the work continues after that. A failure within this time is ignored. Without a limit, waits for the
 * end of the work, and rejects if it fails.
 */
export async function within(work: Promise<unknown>, waitMs: number | undefined): Promise<void> {
  if (waitMs === undefined) return void (await work)
  const timeout = new AbortController()
  await Promise.race([work.catch(() => {}), sleep(waitMs, undefined, { signal: timeout.signal }).catch(() => {})])
  timeout.abort()
}
