import { setTimeout as sleep } from 'node:timers/promises'
import { isUnreachable } from './server-errors.ts'

type WaitOptions = {
  readonly waitMs: number
  /** Called once, at the first failure. */
  readonly warn: (problem: string) => void
  readonly server: string
  readonly retryMs?: number
  readonly monotonic?: () => number
}

const defaultRetryMs = 1000

/** Retries the work while the server, or what it depends on, is unreachable: machines that start together are not ready at once. */
export async function waitForServer<T>(work: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { waitMs, warn, server, retryMs = defaultRetryMs, monotonic = () => performance.now() } = options
  const until = monotonic() + waitMs
  for (let hasWarned = false; ; hasWarned = true) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error) || monotonic() >= until) throw error
      if (!hasWarned) warn(`ClickHouse at ${server} cannot be used yet. Trying again for ${Math.round(waitMs / 1000)} s.`)
    }
    await sleep(retryMs)
  }
}
