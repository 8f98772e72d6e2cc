import { grouped } from '../collections/lists.ts'
import type { CheckRef, FiledResult, SkippedResults, Window } from './store.ts'

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

/** When a result of a check started. */
export type Started = { readonly check: CheckRef; readonly startedAt: number }

/** Results that are skipped, by account. */
export function skippedIn(results: readonly Started[]): ReadonlyMap<string, SkippedResults> {
  const byAccount = grouped(results, ({ check }) => check.account)
  return new Map(Array.from(byAccount, ([account, own]) => [account, { results: own.length, byCheck: windowsOf(own) }]))
}

function windowsOf(results: readonly Started[]): ReadonlyMap<string, Window> {
  const windows = new Map<string, Window>()
  for (const { check, startedAt } of results) {
    const { from, to } = windows.get(check.checkId) ?? { from: startedAt, to: startedAt }
    windows.set(check.checkId, { from: Math.min(from, startedAt), to: Math.max(to, startedAt) })
  }
  return windows
}
