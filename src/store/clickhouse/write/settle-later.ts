import { within } from '../../../concurrency/within.ts'
import { groupCommit } from '../../group-commit.ts'
import { type FiledResult, StoreUnavailable } from '../../store.ts'

type SettleOptions = {
  /** Whether nothing is left to be done. */
  readonly settle: (filed: readonly FiledResult[]) => Promise<boolean>
  /** Called after some could not be settled. */
  readonly failed: () => void
  readonly log: (problem: unknown) => void
}

/** Results of a shard that wait; more are left to the next search for repeated ids. */
const maxWaiting = 40_000
const closeWaitMs = 2000

/** Settles ids that are stored more than once, one group at a time per shard: what arrives during this is the next group. */
export function createSettleLater({ settle, failed, log }: SettleOptions) {
  type Queue = { readonly add: ReturnType<typeof groupCommit<FiledResult>>; waiting: number; last: Promise<unknown>; isLogged: boolean }
  const byShard = new Map<number, Queue>()
  let isClosed = false

  /** What fails is done by a retry or by a search for repeated ids. A server that cannot be used is in the log already. */
  async function settleGroup(filed: readonly FiledResult[]): Promise<readonly number[]> {
    try {
      if (isClosed || (await settle(filed))) return []
      log(notSettled(filed.length, 'The row that counts cannot be read now.'))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) log(notSettled(filed.length, String(error)))
    }
    failed()
    return []
  }

  function queueOf(shard: number): Queue {
    const known = byShard.get(shard)
    if (known) return known
    const onQueue = (waiting: number) => {
      queue.waiting = waiting
      if (waiting === 0) queue.isLogged = false
    }
    const queue: Queue = { add: groupCommit(settleGroup, { onQueue }), waiting: 0, last: Promise.resolve(), isLogged: false }
    byShard.set(shard, queue)
    return queue
  }

  return {
    add(shard: number, filed: readonly FiledResult[]): void {
      // Evidence is not kept in memory until then.
      const named = filed.flatMap(({ check, result }) => (result.id === null ? [] : [{ check, result }]))
      if (named.length === 0) return
      const queue = queueOf(shard)
      if (queue.waiting > 0 && queue.waiting + named.length > maxWaiting) {
        if (!queue.isLogged) log(notSettled(named.length, 'Results arrive faster than they can be searched.'))
        queue.isLogged = true
        failed()
      } else queue.last = queue.add(named)
    },
    /** Resolves once what a shard was added so far is settled, as far as that can be done now. */
    settled: async (shard: number): Promise<void> => void (await byShard.get(shard)?.last),
    /** Waits a moment for what is under way; the rest is left to the searches of other processes. */
    async close(): Promise<void> {
      isClosed = true
      await within(Promise.all(Array.from(byShard.values(), ({ last }) => last)), closeWaitMs)
    },
  }
}

const notSettled = (results: number, reason: string) =>
  `Ids of ${results} results that may be stored twice were not settled; the next search does it. ${reason}`
