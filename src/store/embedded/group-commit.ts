import { StoreUnavailable } from '../store.ts'
import { isUnwritable } from './database.ts'
import type { Parcel } from './writer.ts'

type Waiting = {
  readonly parcels: readonly Parcel[]
  readonly resolve: (news: boolean[]) => void
  readonly reject: (problem: unknown) => void
}

/** At most this many waiting parcels share a commit, so that none waits long for the others. */
const mostTogether = 20_000
/** More than this and callers are told to come back. */
const mostWaiting = 200_000

/** Lets all who arrive while a commit is under way share the next one. */
export function groupCommit(commit: (parcels: readonly Parcel[]) => Promise<readonly boolean[]>) {
  const queue: Waiting[] = []
  let waiting = 0
  let busy = false

  const next = async () => {
    const together = take(queue)
    const parcels = together.flatMap((each) => each.parcels)
    waiting -= parcels.length
    try {
      const news = await commit(parcels)
      let at = 0
      for (const { parcels, resolve } of together) {
        resolve(news.slice(at, at + parcels.length))
        at += parcels.length
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

  return (parcels: readonly Parcel[]): Promise<boolean[]> => {
    if (waiting > 0 && waiting + parcels.length > mostWaiting)
      return Promise.reject(new StoreUnavailable('Results arrive faster than they can be stored.', 2))
    waiting += parcels.length
    return new Promise((resolve, reject) => {
      queue.push({ parcels, resolve, reject })
      if (!busy) void drain()
    })
  }
}

function take(queue: Waiting[]): Waiting[] {
  let end = 0
  for (let count = 0; end < queue.length; end++) {
    count += queue[end]?.parcels.length ?? 0
    if (count > mostTogether) break
  }
  return queue.splice(0, Math.max(1, end))
}

function unwritable(problem: unknown): unknown {
  return isUnwritable(problem) ? new StoreUnavailable(`Results cannot be stored: ${problem.message}.`, 30) : problem
}
