import { within } from '../../../concurrency/within.ts'
import type { FiledResult } from '../../store.ts'

/** Results of a shard that wait; more are left to the next sweep. */
const maxWaiting = 40_000
const closeWaitMs = 2000

/** Settles ids that are stored more than once after the callers are answered: of each shard one commit at a time. */
export function createSettleLater(settle: (filed: readonly FiledResult[]) => Promise<void>) {
  const waiting = new Map<number, number>()
  const last = new Map<number, Promise<void>>()
  let isClosed = false

  async function settleOwn(shard: number, filed: readonly FiledResult[]): Promise<void> {
    // What fails is in the log, and is done by a retry or by a sweep.
    if (!isClosed) await settle(filed).catch(() => {})
    waiting.set(shard, (waiting.get(shard) ?? 0) - filed.length)
  }

  return {
    add(shard: number, filed: readonly FiledResult[]): void {
      // Evidence is not kept in memory until then.
      const named = filed.flatMap(({ check, result }) => (result.id === null ? [] : [{ check, result }]))
      const ahead = waiting.get(shard) ?? 0
      if (named.length === 0 || (ahead > 0 && ahead + named.length > maxWaiting)) return
      waiting.set(shard, ahead + named.length)
      const own = () => settleOwn(shard, named)
      last.set(shard, ahead === 0 ? own() : (last.get(shard) ?? Promise.resolve()).then(own))
    },
    /** Waits a moment for what is under way; the rest is left to the sweeps of other processes. */
    async close(): Promise<void> {
      isClosed = true
      await within(Promise.all(last.values()), closeWaitMs)
    },
  }
}
