import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { replaceZone } from '../state/chosen-zone.ts'
import type { CheckStatus } from './answers.ts'
import { type Api, createApi, type PageCredentials, Problem } from './client.ts'
import { type Live, type LiveState, startLive } from './live.ts'
import { nothingWatched, type States, type Watched } from './news.ts'

export type LiveAccount = LiveState & {
  readonly api: Api
  /** Incremented when figures may have changed. */
  readonly tick: number
  /** Incremented when anything else may have changed, such as the checks themselves. */
  readonly slowTick: number
  /** Sets what the view shows: news about it increments `tick`. */
  watch(watched: Watched): void
  /** Reloads the shown data, for example after a change. */
  refresh(): void
  /** Like `refresh`, and also reloads the states and tries to reach the server. */
  reload(): void
}

/** The current state of the account, kept up to date while the server responds. */
export function useLive(credentials: PageCredentials, onRefused: (problem: Problem) => void): LiveAccount {
  const live = useRef<Live | null>(null)
  const shown = useRef(nothingWatched)
  const [state, setState] = useState<LiveState>({ states: undefined, changes: 0, problem: undefined, lostAt: null })
  const [ticks, setTicks] = useState({ tick: 0, slowTick: 0 })
  const account = useMemo(() => {
    const api = createApi(credentials, {
      onAnswer: () => live.current?.heard(),
      onNoAnswer: () => live.current?.suspect(),
      onUnknownZone: replaceZone,
    })
    const refresh = (what: 'figures' | 'all' = 'all') =>
      setTicks(({ tick, slowTick }) => ({ tick: tick + 1, slowTick: slowTick + (what === 'all' ? 1 : 0) }))
    return {
      api,
      refresh: () => refresh(),
      watch(watched: Watched) {
        shown.current = watched
        live.current?.watch(watched)
      },
      reload: () => live.current?.reload(),
      start: () =>
        startLive({
          open: (query, signal) => openStream(api, query, signal),
          loadStates: (signal) => loadStates(api, signal),
          onChange: setState,
          refresh,
          onRefused,
        }),
    }
  }, [])
  useLayoutEffect(() => {
    live.current = account.start()
    // Effects of the views inside run first, their cleanups last.
    live.current.watch(shown.current)
    return () => {
      live.current?.stop()
      live.current = null
    }
  }, [])
  return { ...account, ...state, ...ticks }
}

async function loadStates(api: Api, signal: AbortSignal): Promise<States> {
  const { data } = await api.request<CheckStatus[]>({ path: '/v1/check-statuses' }, signal)
  return new Map(data.map((status) => [status.checkId, status]))
}

/** A server without alerts rejects the alert events, but still streams results. */
async function openStream(api: Api, query: string, signal: AbortSignal): Promise<Response> {
  const path = '/v1/check-results/stream?'
  const alone = query.replace('events=results,alerts', 'events=results')
  return api.stream(path + query, signal).catch((fault: unknown) => {
    if (alone === query || !(fault instanceof Problem) || fault.code !== 'ALERTS_OFF') throw fault
    return api.stream(path + alone, signal)
  })
}
