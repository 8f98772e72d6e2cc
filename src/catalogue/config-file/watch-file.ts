import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { currentState, isUnchanged, type WatchedPath } from './watched-paths.ts'

type FileWatcher = { /** Looks for changes once. */ poll(): Promise<void>; close(): Promise<void> }
type WatchOptions = {
  readonly seen: string
  readonly pollMs: number
  /** Other watched paths, such as included files. */
  readonly others: () => readonly WatchedPath[]
  readonly changed: () => Promise<boolean>
}

/** Other paths per poll. The next poll continues with the following ones. */
const othersPerPoll = 200

/**
 * Calls `changed` when the signature of the file differs from the last one, starting with `seen`, or when another path has changed. Works
 * if an editor replaces the file. Waits until two polls find the same: a file may be written in steps, and several one after the other. If
 * `changed` resolves to false, it is called again at the next poll.
 */
export function watchFile(file: string, { seen, pollMs, others, changed }: WatchOptions): FileWatcher {
  const closing = new AbortController()
  let last = seen
  let polling: Promise<void> = Promise.resolve()
  let position = 0
  /** The state of all paths at the last poll, if it was not applied yet. */
  let pending: string | null = null

  async function pollOnce(): Promise<void> {
    const current = await signature(file)
    if (current === last && (await areOthersSame())) {
      pending = null
      return
    }
    const state = JSON.stringify([current, ...(await Promise.all(others().map(currentState)))])
    const isComplete = state === pending
    pending = state
    if (isComplete && (await changed())) last = current
  }
  async function areOthersSame(): Promise<boolean> {
    const all = others()
    const from = position < all.length ? position : 0
    position = from + othersPerPoll
    const same = await Promise.all(all.slice(from, position).map(isUnchanged))
    if (same.includes(false)) position = from
    return !same.includes(false)
  }
  const poll = () => {
    polling = polling.then(pollOnce)
    return polling
  }
  async function pollUntilClosed(): Promise<void> {
    while (await pause(pollMs, closing.signal)) await poll()
  }

  const done = pollUntilClosed()
  return {
    poll,
    close() {
      closing.abort()
      return done
    },
  }
}

/** Changes whenever the file is replaced or modified. */
export async function signature(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => null)
  return stats ? `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}` : 'gone'
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return sleep(milliseconds, true, { signal, ref: false }).catch(() => false)
}
