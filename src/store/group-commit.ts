import { joined } from '../collections/lists.ts'
import { checkKey } from '../ids/check-ref.ts'
import type { StoreStats } from '../stats/server-stats.ts'
import { type Appended, type FiledResult, type Store, StoreUnavailable } from './store.ts'

type Waiting<Item> = {
  readonly items: readonly Item[]
  readonly bytes: number
  readonly resolve: (duplicates: readonly number[]) => void
  readonly reject: (problem: unknown) => void
}

/** Limit of items per commit, so that no caller waits long for others. */
const maxPerCommit = 20_000
/** Beyond this, callers are refused and may retry. */
const maxWaiting = 200_000
const maxWaitingBytes = 64 * 2 ** 20

/** Commits items; returns the ascending indexes of duplicates. */
type Commit<Item> = (items: readonly Item[]) => Promise<readonly number[]>
/** As `Commit`; a call that is aborted while it is queued is dropped. */
type QueuedCommit<Item> = (items: readonly Item[], signal?: AbortSignal) => Promise<readonly number[]>

type GroupOptions<Item> = {
  /** Called with the number of queued items. */
  readonly onQueue?: (waiting: number) => void
  /** The memory of an item, apart from what is similar for all items. */
  readonly bytesOf?: (item: Item) => number
}

/** Group commit: callers that arrive during a commit share the next one. */
export function groupCommit<Item>(
  commit: Commit<Item>,
  { onQueue = () => {}, bytesOf = () => 0 }: GroupOptions<Item> = {},
): QueuedCommit<Item> {
  const queue: Waiting<Item>[] = []
  let waiting = 0
  let waitingBytes = 0
  let busy = false

  const count = ({ items, bytes }: Waiting<Item>, by: 1 | -1) => {
    waiting += by * items.length
    waitingBytes += by * bytes
    onQueue(waiting)
  }

  const next = async () => {
    const together = dequeue(queue)
    const items = joined(together.map((each) => each.items))
    for (const each of together) count(each, -1)
    try {
      share(await commit(items), together)
    } catch (problem) {
      for (const { reject } of together) reject(problem)
    }
  }
  const drain = async () => {
    busy = true
    while (queue.length > 0) await next()
    busy = false
  }

  const isFull = (items: readonly Item[], bytes: number) =>
    waiting > 0 && (waiting + items.length > maxWaiting || waitingBytes + bytes > maxWaitingBytes)

  return (items, signal) => {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const bytes = items.reduce((sum, item) => sum + bytesOf(item), 0)
    if (isFull(items, bytes)) return Promise.reject(new StoreUnavailable('Results arrive faster than they can be stored.', 2))
    return new Promise((resolve, reject) => {
      const own: Waiting<Item> = { items, bytes, resolve, reject }
      const drop = () => {
        const at = queue.indexOf(own)
        if (at === -1) return
        queue.splice(at, 1)
        count(own, -1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', drop, { once: true })
      count(own, 1)
      queue.push(own)
      if (!busy) void drain()
    })
  }
}

/** Gives each caller the duplicates among its own items. */
function share<Item>(duplicates: readonly number[], together: readonly Waiting<Item>[]): void {
  let start = 0
  let at = 0
  for (const { items, resolve } of together) {
    const end = start + items.length
    const own: number[] = []
    for (; at < duplicates.length && (duplicates[at] as number) < end; at++) own.push((duplicates[at] as number) - start)
    resolve(own)
    start = end
  }
}

function dequeue<Item>(queue: Waiting<Item>[]): Waiting<Item>[] {
  let end = 0
  for (let count = 0; end < queue.length; end++) {
    count += queue[end]?.items.length ?? 0
    if (count > maxPerCommit) break
  }
  return queue.splice(0, Math.max(1, end))
}

/** The memory of the evidence of a result, which far exceeds that of its values. */
export const evidenceBytes = ({ evidence }: FiledResult): number => evidence?.byteLength ?? 0

/** Wraps `append` with metrics: its duration, new results and duplicates. */
export function timedAppend(append: Store['append'], stats: StoreStats): Store['append'] {
  const count = (stored: number, { duplicates }: Appended) => {
    stats.appended.add(stored - duplicates.length)
    stats.duplicates.add(duplicates.length)
  }
  return async (results) => {
    try {
      const appended = await stats.append.time(() => append(results))
      count(results.length, appended)
      return appended
    } catch (error) {
      const partly = error instanceof StoreUnavailable ? error.partly : null
      if (partly) count(results.filter(({ check }) => !partly.refusedChecks.has(checkKey(check))).length, partly)
      throw error
    }
  }
}
