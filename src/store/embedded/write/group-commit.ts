import { StoreUnavailable } from '../../store.ts'
import { isUnwritable } from '../disk/database.ts'

type Waiting<Item> = {
  readonly items: readonly Item[]
  readonly resolve: (news: boolean[]) => void
  readonly reject: (problem: unknown) => void
}

/** At most this many waiting items share a commit, so that none waits long for the others. */
const mostTogether = 20_000
/** More than this and callers are told to come back. */
const mostWaiting = 200_000

/** Lets all who arrive while a commit is under way share the next one. */
export function groupCommit<Item>(commit: (items: readonly Item[]) => Promise<readonly boolean[]>) {
  const queue: Waiting<Item>[] = []
  let waiting = 0
  let busy = false

  const next = async () => {
    const together = take(queue)
    const items = together.length === 1 && together[0] ? together[0].items : together.flatMap((each) => each.items)
    waiting -= items.length
    try {
      const news = await commit(items)
      let at = 0
      for (const { items, resolve } of together) {
        resolve(news.slice(at, at + items.length))
        at += items.length
      }
    } catch (problem) {
      for (const { reject } of together) reject(unwritable(problem))
    }
  }
  const drain = async () => {
    busy = true
    while (queue.length > 0) await next()
    busy = false
  }

  return (items: readonly Item[]): Promise<boolean[]> => {
    if (waiting > 0 && waiting + items.length > mostWaiting)
      return Promise.reject(new StoreUnavailable('Results arrive faster than they can be stored.', 2))
    waiting += items.length
    return new Promise((resolve, reject) => {
      queue.push({ items, resolve, reject })
      if (!busy) void drain()
    })
  }
}

function take<Item>(queue: Waiting<Item>[]): Waiting<Item>[] {
  let end = 0
  for (let count = 0; end < queue.length; end++) {
    count += queue[end]?.items.length ?? 0
    if (count > mostTogether) break
  }
  return queue.splice(0, Math.max(1, end))
}

function unwritable(problem: unknown): unknown {
  return isUnwritable(problem) ? new StoreUnavailable(`Results cannot be stored: ${problem.message}.`, 30) : problem
}
