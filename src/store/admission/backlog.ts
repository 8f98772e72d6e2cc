import type { QuestionCaller } from '../store.ts'

/** The fields of a queued call that the backlog needs. */
type Waiting = {
  readonly caller: QuestionCaller
  readonly questionCost: number
  readonly isCheap: boolean
  /** Identifies the question: all of its calls share the signal. */
  readonly signal: AbortSignal
}
/** The queued expensive questions of one key: total cost, and calls per question. */
type Queue = { cost: number; readonly calls: Map<AbortSignal, number> }

/** Exponential decay: the weight of all earlier measurements when a new one arrives. */
const decay = 0.8

/**
 * Estimates how long an expensive question will be queued, from the cost of the queued questions and the measured speed of earlier ones.
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
    /** Accounts share the threads evenly, and so do the keys of an account. The length of other queues does not matter. */
    expectedWaitMs({ account, key }: QuestionCaller): number {
      const keys = accounts.get(account)
      const queue = keys?.get(key)
      if (!keys || !queue || ran.cost === 0) return 0
      const share = Math.min(perKey, threads / accounts.size / keys.size)
      return (queue.cost * (ran.ms / ran.cost)) / share
    },
  }
}
