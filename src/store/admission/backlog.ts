import type { QuestionCaller } from '../store.ts'

/** A call that waits, as far as the backlog is concerned. */
type Waiting = {
  readonly caller: QuestionCaller
  readonly questionCost: number
  readonly isCheap: boolean
  /** Calls of one question share it. */
  readonly signal: AbortSignal
}
/** The waiting expensive questions of one key: their costs and calls. */
type Queue = { cost: number; readonly calls: Map<AbortSignal, number> }

/** How much of the earlier measurements is kept with each new one. */
const decay = 0.8

/**
 * Estimates how long an expensive question would wait, from the cost of those that wait and the speed of those that ran.
 * One key may use `perKey` of the threads.
 */
export function createBacklog({ threads, perKey }: { readonly threads: number; readonly perKey: number }) {
  const ran = { cost: 0, ms: 0 }
  const accounts = new Map<string, Map<string, Queue>>()
  return {
    enter({ caller: { account, key }, questionCost, isCheap, signal }: Waiting): void {
      if (isCheap) return
      const keys = accounts.get(account) ?? new Map<string, Queue>()
      const queue = keys.get(key) ?? { cost: 0, calls: new Map() }
      const calls = queue.calls.get(signal) ?? 0
      if (calls === 0) queue.cost += questionCost
      queue.calls.set(signal, calls + 1)
      accounts.set(account, keys.set(key, queue))
    },
    leave({ caller: { account, key }, questionCost, isCheap, signal }: Waiting): void {
      const keys = accounts.get(account)
      const queue = keys?.get(key)
      if (isCheap || !keys || !queue) return
      const calls = (queue.calls.get(signal) ?? 1) - 1
      if (calls > 0) {
        queue.calls.set(signal, calls)
        return
      }
      queue.calls.delete(signal)
      queue.cost -= questionCost
      if (queue.calls.size === 0) keys.delete(key)
      if (keys.size === 0) accounts.delete(account)
    },
    /** Records the duration of an expensive call. */
    observe(cost: number, tookMs: number): void {
      ran.cost = decay * ran.cost + cost
      ran.ms = decay * ran.ms + tookMs
    },
    /** Accounts share the threads evenly, and so do the keys of an account: the queues of others only divide the speed. */
    expectedWaitMs({ account, key }: QuestionCaller): number {
      const keys = accounts.get(account)
      const queue = keys?.get(key)
      if (!keys || !queue || ran.cost === 0) return 0
      const share = Math.min(perKey, threads / accounts.size / keys.size)
      return (queue.cost * (ran.ms / ran.cost)) / share
    },
  }
}
