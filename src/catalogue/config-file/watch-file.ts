import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

type FileWatcher = { poll(): Promise<void>; close(): Promise<void> }
type WatchOptions = { readonly seen: string; readonly pollMs: number; readonly changed: () => Promise<boolean> }

/**
 * Calls `changed` when the signature of the file differs from the last one, starting with `seen`; works where an editor replaces the file.
 * If `changed` resolves to false, it is called again at the next poll.
 */
export function watchFile(file: string, { seen, pollMs, changed }: WatchOptions): FileWatcher {
  const closing = new AbortController()
  let last = seen
  let polling: Promise<void> = Promise.resolve()

  async function pollOnce(): Promise<void> {
    const current = await signature(file)
    if (current !== last && (await changed())) last = current
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
