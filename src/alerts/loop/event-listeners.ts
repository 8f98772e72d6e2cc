import type { AlertServiceEvent } from './alert-service.ts'

type Listener = (event: AlertServiceEvent) => void

export function createEventListeners() {
  const listeners = new Map<string, Set<Listener>>()
  return {
    publish(account: string, event: AlertServiceEvent): void {
      for (const listener of listeners.get(account) ?? []) listener(event)
    },
    /** Returns an unsubscribe function. */
    add(account: string, listener: Listener): () => void {
      const others = listeners.get(account) ?? new Set()
      listeners.set(account, others.add(listener))
      return () => others.delete(listener)
    },
    /** Accounts that ever had a listener. */
    accounts: (): Iterable<string> => listeners.keys(),
  }
}
