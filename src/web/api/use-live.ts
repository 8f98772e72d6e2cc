import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { replaceZone } from '../state/chosen-zone.ts'
import type { CheckStatus } from './answers.ts'
import { type Api, createApi, type PageCredentials, Problem } from './client.ts'
import { type Live, type LiveState, startLive } from './live.ts'
import { nothingWatched, type States, type Watched } from './news.ts'

export type LiveAccount = LiveState & {
  readonly api: Api
  /** Counts up when figures may have changed. */
  readonly tick: number
  /** Counts up when anything may have, such as the checks themselves. */
  readonly slowTick: number
  /** Says what is shown: what happens to it counts up `tick`. */
  watch(watched: Watched): void
  /** Loads what is shown again, as after it was changed. */
  refresh(): void
  /** The same, with the states of the account, and tries to reach the server. */
  reload(): void
}

/** The account as it is now, as far as the server answers. */
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

/** A server that sends no alerts still sends results. */
async function openStream(api: Api, query: string, signal: AbortSignal): Promise<Response> {
  const path = '/v1/check-results/stream?'
  const alone = query.replace('events=results,alerts', 'events=results')
  return api.stream(path + query, signal).catch((fault: unknown) => {
    if (alone === query || !(fault instanceof Problem) || fault.code !== 'ALERTS_OFF') throw fault
    return api.stream(path + alone, signal)
  })
}
