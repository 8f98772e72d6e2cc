import { grouped } from '../collections/lists.ts'
import type { FiledResult, SkippedResults, Window } from './store.ts'

export type Announce = (added: readonly FiledResult[], skipped?: SkippedResults) => void

type Listeners = {
  /** Subscribes to the results of an account; returns an unsubscribe function. */
  add(account: string, announce: Announce): () => void
  announce(added: readonly FiledResult[]): void
  /** Announces to the listeners of an account that results were skipped. */
  skip(account: string, skipped: SkippedResults): void
  /** Accounts with listeners. */
  accounts(): readonly string[]
  listensTo(account: string): boolean
}

/** Subscribers to stored results. */
export function createListeners(): Listeners {
  const byAccount = new Map<string, Set<{ readonly announce: Announce }>>()
  return {
    add(account, announce) {
      const own = { announce }
      const others = byAccount.get(account) ?? new Set()
      byAccount.set(account, others.add(own))
      return () => {
        others.delete(own)
        if (others.size === 0 && byAccount.get(account) === others) byAccount.delete(account)
      }
    },
    announce(added) {
      if (byAccount.size === 0) return
      for (const [account, results] of grouped(added, ({ check }) => check.account))
        for (const { announce } of byAccount.get(account) ?? []) announce(results)
    },
    skip(account, skipped) {
      for (const { announce } of byAccount.get(account) ?? []) announce([], skipped)
    },
    accounts: () => [...byAccount.keys()],
    listensTo: (account) => byAccount.has(account),
  }
}

/** Collects results that will not be announced. Keeps only their range, because the same ones may be sent again and again. */
export function createSkipped() {
  let byAccount = new Map<string, { results: number; readonly byCheck: Map<string, Window> }>()
  return {
    add(filed: readonly FiledResult[]): void {
      for (const { check, result } of filed) {
        const own = byAccount.get(check.account) ?? { results: 0, byCheck: new Map<string, Window>() }
        const { startedAt } = result
        const { from, to } = own.byCheck.get(check.checkId) ?? { from: startedAt, to: startedAt }
        own.byCheck.set(check.checkId, { from: Math.min(from, startedAt), to: Math.max(to, startedAt) })
        own.results++
        byAccount.set(check.account, own)
      }
    },
    /** Returns what was added since the last call, by account. */
    take(): ReadonlyMap<string, SkippedResults> {
      const taken = byAccount
      byAccount = new Map()
      return taken
    },
  }
}
