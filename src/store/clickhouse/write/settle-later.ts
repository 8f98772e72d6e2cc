import { within } from '../../../concurrency/within.ts'
import { groupCommit } from '../../group-commit.ts'
import { type FiledResult, StoreUnavailable } from '../../store.ts'

type SettleOptions = {
  /** True if nothing is left to do. */
  readonly settle: (filed: readonly FiledResult[]) => Promise<boolean>
  /** Called after some results could not be settled. */
  readonly failed: () => void
  readonly log: (problem: unknown) => void
}

/** Queued results per shard; more are left to the next search for repeated ids. */
const maxWaiting = 40_000
const closeWaitMs = 2000

/** Settles ids that are stored more than once, one group per shard at a time; results that arrive in the meantime form the next group. */
export function createSettleLater({ settle, failed, log }: SettleOptions) {
  type Queue = { readonly add: ReturnType<typeof groupCommit<FiledResult>>; waiting: number; last: Promise<unknown>; isLogged: boolean }
  const byShard = new Map<number, Queue>()
  let isClosed = false

  /** Failures are left to a retry or to a search for repeated ids. An unavailable server is logged already. */
  async function settleGroup(filed: readonly FiledResult[]): Promise<readonly number[]> {
    try {
      if (isClosed || (await settle(filed))) return []
      log(notSettled(filed.length, 'The row to keep cannot be read now.'))
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
      // Drops the evidence, so that it does not stay in memory.
      const named = filed.flatMap(({ check, result }) => (result.id === null ? [] : [{ check, result }]))
      if (named.length === 0) return
      const queue = queueOf(shard)
      if (queue.waiting > 0 && queue.waiting + named.length > maxWaiting) {
        if (!queue.isLogged) log(notSettled(named.length, 'Results arrive faster than they can be searched.'))
        queue.isLogged = true
        failed()
      } else queue.last = queue.add(named)
    },
    /** Resolves once everything added for a shard so far is settled, or has failed. */
    settled: async (shard: number): Promise<void> => void (await byShard.get(shard)?.last),
    /** Waits briefly for work in progress; the rest is left to searches of other processes. */
    async close(): Promise<void> {
      isClosed = true
      await within(Promise.all(Array.from(byShard.values(), ({ last }) => last)), closeWaitMs)
    },
  }
}

const notSettled = (results: number, reason: string) =>
  `${results} results with possibly duplicate ids were not deduplicated; the next search covers them. ${reason}`
