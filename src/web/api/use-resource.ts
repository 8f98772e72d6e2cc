import { createContext } from 'preact'
import { useContext, useLayoutEffect, useState } from 'preact/hooks'
import { type Api, Problem } from './client.ts'

export type Resource<T> = {
  readonly data: T | undefined
  readonly problem: Problem | undefined
  /** An answer is under way; `data`, where there is some, is the one before. */
  readonly loading: boolean
}

export type Session = {
  readonly api: Api
  /** Counts up while the page is looked at, so that what ends now is asked again. */
  readonly tick: number
  readonly known: Map<string, unknown>
  signOut(reason?: string): void
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('This part of the page is shown only to those signed in.')
  return session
}

/** Loads what `key` names, keeps the last data while new loads, and cancels what nobody waits for any more. */
export function useResource<T>(key: string | null, load: (api: Api, signal: AbortSignal) => Promise<T>): Resource<T> {
  const { api, tick, known, signOut } = useSession()
  const [state, setState] = useState<{ key: string | null; data?: T; problem?: Problem }>(() => remembered(known, key))
  useLayoutEffect(() => {
    if (key === null) return
    const abort = new AbortController()
    if (known.has(key)) setState(remembered(known, key))
    load(api, abort.signal).then(
      (data) => {
        remember(known, key, data)
        if (!abort.signal.aborted) setState({ key, data })
      },
      (fault: unknown) => {
        if (abort.signal.aborted) return
        const problem = fault instanceof Problem ? fault : new Problem(0, 'The page could not read the answer. Reload it.')
        if (problem.status === 401 || problem.status === 403) signOut(problem.message)
        setState((before) => ({ key, problem, ...(before.data !== undefined && { data: before.data }) }))
      },
    )
    return () => abort.abort()
  }, [key, tick, api])
  return { data: state.data, problem: state.problem, loading: key !== null && state.key !== key }
}

const keptAnswers = 200

function remembered<T>(known: Map<string, unknown>, key: string | null): { key: string | null; data?: T } {
  if (key === null || !known.has(key)) return { key: null }
  return { key, data: known.get(key) as T }
}

function remember(known: Map<string, unknown>, key: string, data: unknown): void {
  known.delete(key)
  known.set(key, data)
  const oldest = known.keys().next().value
  if (known.size > keptAnswers && oldest !== undefined) known.delete(oldest)
}
