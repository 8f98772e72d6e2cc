import { createContext } from 'preact'
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { LruCache } from '../../cache/lru-cache.ts'
import { type Api, Problem } from './client.ts'

export type Resource<T> = {
  readonly data: T | undefined
  readonly problem: Problem | undefined
  /** A request is pending; `data`, if any, is stale. */
  readonly loading: boolean
  retry(): void
}

/** Whether the first answer has arrived, a good or a bad one. */
export function settled({ data, problem }: Resource<unknown>): boolean {
  return data !== undefined || problem !== undefined
}

/** The first that has a problem and nothing to show. */
export function firstProblem(...resources: readonly Resource<unknown>[]): Resource<unknown> | null {
  return resources.find(({ data, problem }) => data === undefined && problem !== undefined) ?? null
}

export type Session = {
  readonly api: Api
  /** Counts up while the page is visible; rolling windows reload with it. */
  readonly tick: number
  /** Says what is shown, as a query of the stream: what it sends counts up `tick`. */
  watch(query: string): void
  /** Loads what is shown again, as after it was changed. */
  refresh(): void
  readonly cache: LruCache<string, unknown>
  signOut(reason?: string): void
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('This part of the page is shown only to those signed in.')
  return session
}

/** The key was accepted before. */
const revoked = 'The key of this session is not known here any more: it was revoked or replaced. Sign in with another one.'

/** Refreshes the view after new results of these checks, while it is shown; with `alerts`, also when something happens to their alerts. */
export function useWatch(ids: readonly string[], { alerts = false } = {}): void {
  useStream(ids.length === 0 ? '' : `${alerts ? 'events=results,alerts&' : ''}checkId=${ids.join()}`)
}

/** The same for the alerts of all checks. */
export function useWatchAlerts(): void {
  useStream('events=alerts')
}

function useStream(query: string): void {
  const { watch } = useSession()
  useEffect(() => {
    watch(query)
    return () => watch('')
  }, [query])
}

/** Stale-while-revalidate: loads the resource of `key`, shows cached data until then, and aborts requests that are obsolete. */
export function useResource<T>(key: string | null, load: (api: Api, signal: AbortSignal) => Promise<T>): Resource<T> {
  const { api, tick, cache, signOut } = useSession()
  const [state, setState] = useState<{ key: string | null; data?: T; problem?: Problem }>(() => cachedState(cache, key))
  const [attempt, setAttempt] = useState(0)
  const retry = () => {
    setState(({ data }) => ({ key: null, ...(data !== undefined && { data }) }))
    setAttempt((before) => before + 1)
  }
  useLayoutEffect(() => {
    if (key === null) return
    const abort = new AbortController()
    if (cache.get(key) !== undefined) setState(cachedState(cache, key))
    load(api, abort.signal).then(
      (data) => {
        cache.set(key, data)
        if (!abort.signal.aborted) setState({ key, data })
      },
      (fault: unknown) => {
        if (abort.signal.aborted) return
        const problem = fault instanceof Problem ? fault : new Problem(0, 'The page could not read the answer. Reload it.')
        if (problem.status === 401) signOut(revoked)
        if (problem.status === 403) signOut(problem.message)
        setState((before) => ({ key, problem, ...(before.data !== undefined && { data: before.data }) }))
      },
    )
    return () => abort.abort()
  }, [key, tick, api, attempt])
  return { data: state.data, problem: state.problem, loading: key !== null && state.key !== key, retry }
}

function cachedState<T>(cache: LruCache<string, unknown>, key: string | null): { key: string | null; data?: T } {
  const data = key === null ? undefined : cache.get(key)
  return data === undefined ? { key: null } : { key, data: data as T }
}
