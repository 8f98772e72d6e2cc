import { grouped } from '../collections/lists.ts'
import type { FiledResult, SkippedResults } from './store.ts'

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
