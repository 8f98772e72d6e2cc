import { createContext } from 'preact'
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { LruCache } from '../../cache/cache.ts'
import { readerZone } from '../state/zone.ts'
import { type Api, Problem } from './client.ts'
import { nothingWatched } from './news.ts'
import { startLoading } from './repeated-load.ts'
import type { LiveAccount } from './use-live.ts'

export type Resource<T> = {
  readonly data: T | undefined
  readonly problem: Problem | undefined
  /** A request is pending; `data`, if any, is stale. */
  readonly loading: boolean
  retry(): void
}

/** Whether the first request has succeeded or failed. */
export function settled({ data, problem }: Resource<unknown>): boolean {
  return data !== undefined || problem !== undefined
}

/** The first resource that has a problem and no data. */
export function firstProblem(...resources: readonly Resource<unknown>[]): Resource<unknown> | null {
  return resources.find(({ data, problem }) => data === undefined && problem !== undefined) ?? null
}

export type Session = LiveAccount & { readonly cache: LruCache<string, unknown>; signOut(reason?: string): void }

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('Sign in to see this part of the page.')
  return session
}

/** Shown for a key that was accepted before. */
const revoked = 'The key of this session was revoked or replaced. Sign in with another one.'

/** Why the session has ended; null if the problem does not end it. */
export function refusal({ isRefusal, status, message }: Problem): string | null {
  if (!isRefusal) return null
  return status === 401 ? revoked : message
}

/** Refreshes the view after new results of these checks while it is shown; with `alerts`, also after changes of alerts. */
export function useWatch(ids: readonly string[] | 'all', { alerts = false } = {}): void {
  const { watch } = useSession()
  // A layout effect, because cleanup of a plain effect may run after the next view's effect.
  useLayoutEffect(() => {
    watch({ checks: ids === 'all' ? ids : new Set(ids), alerts })
    return () => watch(nothingWatched)
  }, [ids === 'all' ? ids : ids.join(), alerts])
}

/** Refreshes the view only after changes of alerts. */
export function useWatchAlerts(): void {
  useWatch([], { alerts: true })
}

type Loaded<T> = { readonly key: string | null; readonly data?: T; readonly problem?: Problem }

/**
 * Stale-while-revalidate: loads the resource of `key`, shows cached data until then, and aborts requests that are obsolete. Data of another
 * key is shown only until that of `key` arrives. The cache is per zone of the reader, since windows and buckets depend on it.
 */
export function useResource<T>(key: string | null, load: (api: Api, signal: AbortSignal) => Promise<T>): Resource<T> {
  return useLoaded(key === null ? null : `${readerZone()} ${key}`, load, useSession().tick)
}

/** Like `useResource`, for data that changes with the config file or an action, but not with results or the zone. */
export function useDefinitions<T>(key: string, load: (api: Api, signal: AbortSignal) => Promise<T>): Resource<T> {
  return useLoaded(key, load, useSession().slowTick)
}

function useLoaded<T>(key: string | null, load: (api: Api, signal: AbortSignal) => Promise<T>, tick: number): Resource<T> {
  const { api, cache, signOut } = useSession()
  const [state, setState] = useState<Loaded<T>>(() => cachedState(cache, key))
  const dataKey = useRef(state.key)
  const [attempt, setAttempt] = useState(0)
  const newest = useRef({ load, refresh() {} })
  newest.current.load = load
  const loadedAt = useRef(tick)
  const retry = () => {
    setState(({ data }) => ({ key: null, ...(data !== undefined && { data }) }))
    setAttempt((before) => before + 1)
  }
  useLayoutEffect(() => {
    if (key === null) return
    if (cache.get(key) !== undefined) {
      dataKey.current = key
      setState(cachedState(cache, key))
    }
    loadedAt.current = tick
    const loading = startLoading<T>({
      async load(signal, onAnswer) {
        const data = await newest.current.load(observed(api, onAnswer), signal)
        cache.set(key, data)
        return data
      },
      onData(data) {
        dataKey.current = key
        setState({ key, data })
      },
      onFault(fault) {
        const problem = fault instanceof Problem ? fault : new Problem(0, 'Unexpected response. Reload the page.')
        const reason = refusal(problem)
        if (reason !== null) signOut(reason)
        setState(({ data }) => ({ key, problem, ...(data !== undefined && dataKey.current === key && { data }) }))
      },
    })
    newest.current.refresh = loading.refresh
    return () => {
      newest.current.refresh = () => {}
      loading.stop()
    }
  }, [key, api, attempt])
  useLayoutEffect(() => {
    if (loadedAt.current === tick) return
    loadedAt.current = tick
    newest.current.refresh()
  }, [tick])
  if (key === null) return { data: undefined, problem: undefined, loading: false, retry }
  return { data: state.data, problem: state.problem, loading: state.key !== key, retry }
}

function observed(api: Api, onAnswer: () => void): Api {
  return {
    ...api,
    async request(...asked) {
      const answer = await api.request<never>(...asked)
      onAnswer()
      return answer
    },
  }
}

function cachedState<T>(cache: LruCache<string, unknown>, key: string | null): Loaded<T> {
  const data = key === null ? undefined : cache.get(key)
  return data === undefined ? { key: null } : { key, data: data as T }
}
