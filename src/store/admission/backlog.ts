import type { QuestionCaller } from '../store.ts'

/** A call that waits, as far as the backlog is concerned. */
type Waiting = {
  readonly caller: QuestionCaller
  readonly questionCost: number
  readonly isCheap: boolean
  /** Calls of one question share it. */
  readonly signal: AbortSignal
}

/** How much of the earlier measurements is kept with each new one. */
const decay = 0.8

/** Estimates how long an expensive question would wait, from the cost of those that wait and the speed of those that ran. */
export function createBacklog({ waiting, threads }: { readonly waiting: ReadonlySet<Waiting>; readonly threads: number }) {
  const ran = { cost: 0, ms: 0 }
  return {
    /** An expensive call of this cost took so long. */
    observe(cost: number, tookMs: number): void {
      ran.cost = decay * ran.cost + cost
      ran.ms = decay * ran.ms + tookMs
    },
    /** Accounts share the threads evenly, and so do the keys of an account: what others wait for only divides the speed. */
    expectedWaitMs({ account, key }: QuestionCaller): number {
      const expensive = [...waiting].filter(({ isCheap }) => !isCheap).map(({ caller, ...call }) => ({ ...caller, ...call }))
      const ofAccount = expensive.filter((call) => call.account === account)
      const costs = new Map(ofAccount.filter((call) => call.key === key).map(({ signal, questionCost }) => [signal, questionCost]))
      const own = [...costs.values()].reduce((sum, cost) => sum + cost, 0)
      const accounts = new Set(expensive.map((call) => call.account)).size
      const keys = new Set(ofAccount.map((call) => call.key)).size
      return ran.cost === 0 ? 0 : (own * (ran.ms / ran.cost) * accounts * keys) / threads
    },
  }
}
