import { lock } from '../store/embedded/disk/lock.ts'
import { makePrivateFolder } from '../store/embedded/disk/private-files.ts'
import { inlineWorker, singleWorker } from '../store/threads/worker.ts'
import type { ThreadOptions } from '../threads/thread.ts'
import { dayMs } from '../time.ts'
import {
  type OutboxCounts,
  type OutboxDatabase,
  type OutboxLimits,
  type OutboxResult,
  type OutboxRow,
  openOutboxDatabase,
} from './outbox-database.ts'

/** The outbox of an agent. Its database is in a separate thread, so that a slow disk does not delay measurements. */
export type AgentOutbox = {
  /** Resolves once the results are on disk and synced. */
  put(results: readonly OutboxResult[], now: number): Promise<void>
  next(after: number): Promise<readonly OutboxRow[]>
  find(positions: readonly number[]): Promise<readonly (OutboxRow | null)[]>
  remove(positions: readonly number[]): Promise<void>
  expire(now: number, furtherDropped: number): Promise<void>
  read(name: string): Promise<string | null>
  write(name: string, value: string): Promise<void>
  /** As of the last change. */
  counts(): OutboxCounts
  close(): Promise<void>
}

type Options = {
  readonly directory: string
  readonly limits?: OutboxLimits
  /** Default: in a thread. */
  readonly inline?: boolean
  readonly onDropped?: (rows: number) => void
} & Pick<ThreadOptions, 'onLost'>

const defaultLimits: OutboxLimits = { maxBytes: 512 * 1024 * 1024, maxAgeMs: dayMs }

export async function openAgentOutbox({ directory, limits = defaultLimits, inline, onDropped, onLost }: Options): Promise<AgentOutbox> {
  makePrivateFolder(directory)
  const unlock = lock(directory)
  const opened = { directory, limits }
  const database = inline
    ? inlineWorker<OutboxDatabase>(openOutboxDatabase(opened))
    : singleWorker<OutboxDatabase>(new URL(`./${'outbox'}-thread.js`, import.meta.url), opened, {
        kind: 'outbox',
        ...(onLost && { onLost }),
      })
  let counts: OutboxCounts = { waiting: 0, dropped: 0 }
  let isKnown = false
  const update = (next: OutboxCounts) => {
    const rows = next.dropped - counts.dropped
    counts = next
    if (isKnown && rows > 0) onDropped?.(rows)
    isKnown = true
  }
  try {
    update(await database.call('remove', [[]]))
  } catch (error) {
    unlock()
    throw error
  }
  return {
    put: async (results, now) => update(await database.call('put', [results, now])),
    next: (after) => database.call('next', [after]),
    find: (positions) => database.call('find', [positions]),
    remove: async (positions) => update(await database.call('remove', [positions])),
    expire: async (now, furtherDropped) => update(await database.call('expire', [now, furtherDropped])),
    read: (name) => database.call('read', [name]),
    write: (name, value) => database.call('write', [name, value]),
    counts: () => counts,
    async close() {
      await database.close()
      unlock()
    },
  }
}
