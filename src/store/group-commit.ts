import { joined } from '../collections/lists.ts'
import type { StoreStats } from '../stats/server-stats.ts'
import { type Store, StoreUnavailable } from './store.ts'

type Waiting<Item> = {
  readonly items: readonly Item[]
  readonly resolve: (duplicates: readonly number[]) => void
  readonly reject: (problem: unknown) => void
}

/** A commit takes at most this many items, so that none waits long for the others. */
const maxPerCommit = 20_000
/** Beyond this, callers are refused and may retry. */
const maxWaiting = 200_000

/** Commits items and returns the indexes, ascending, of those that were there already. */
type Commit<Item> = (items: readonly Item[]) => Promise<readonly number[]>

/** Group commit: callers that arrive during a commit share the next one. `onQueue` gets how many items wait. */
export function groupCommit<Item>(commit: Commit<Item>, onQueue: (waiting: number) => void = () => {}): Commit<Item> {
  const queue: Waiting<Item>[] = []
  let waiting = 0
  let busy = false

  const next = async () => {
    const together = dequeue(queue)
    const items = joined(together.map((each) => each.items))
    waiting -= items.length
    onQueue(waiting)
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

  return (items) => {
    if (waiting > 0 && waiting + items.length > maxWaiting)
      return Promise.reject(new StoreUnavailable('Results arrive faster than they can be stored.', 2))
    waiting += items.length
    onQueue(waiting)
    return new Promise((resolve, reject) => {
      queue.push({ items, resolve, reject })
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

/** The same `append`, which observes how long it takes, and counts what is new. */
export function timedAppend(append: Store['append'], stats: StoreStats): Store['append'] {
  return async (results) => {
    const appended = await stats.append.time(() => append(results))
    stats.appended.add(results.length - appended.duplicates.length)
    stats.duplicates.add(appended.duplicates.length)
    return appended
  }
}
