import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Check, CheckStatus } from '../api/answers.ts'
import { type Answer, type Api, type Ask, Problem } from '../api/client.ts'
import { type Resource, useResource, useSession } from '../api/use-resource.ts'

export const checksPerCall = 100
const typingPauseMs = 60

export function useChecks(): Resource<readonly Check[]> {
  return useResource('checks', loadChecks)
}

export function useStatuses(): Resource<ReadonlyMap<string, CheckStatus>> {
  return useResource('statuses', async (api, signal) => {
    const { data } = await api.ask<CheckStatus[]>({ path: '/v1/check-statuses' }, signal)
    return new Map(data.map((status) => [status.checkId, status]))
  })
}

export function checksAsk(page: number): Ask {
  return { path: `/v1/checks?limit=${checksPerCall}&page=${page}` }
}

async function loadChecks(api: Api, signal: AbortSignal): Promise<readonly Check[]> {
  const ask = (page: number) => api.ask<Check[]>(checksAsk(page), signal)
  const first = await ask(1)
  const pages = Array.from({ length: Math.ceil(totalOf(first) / checksPerCall) - 1 }, (_, index) => index + 2)
  const rest = await Promise.all(pages.map(ask))
  return [first, ...rest].flatMap(({ data }) => data)
}

function totalOf({ headers, data }: Answer<Check[]>): number {
  return Number(headers.get('Content-Range')?.split('/')[1] ?? data.length) || data.length
}

type ByCheck<T> = ReadonlyMap<string, T>

type ManyChecks<T> = { readonly byCheck: ByCheck<T>; readonly problem: Problem | null }

/** What one call answers about many checks, kept by check; only checks not yet known under this path are asked for. */
export function useManyChecks<T extends { readonly checkId: string }>(path: string, ids: readonly string[]): ManyChecks<T> {
  const { api, tick } = useSession()
  const held = useRef<{ of: string; map: ByCheck<T> }>({ of: '', map: new Map() })
  const [shown, setShown] = useState<ByCheck<T>>(held.current.map)
  const [problem, setProblem] = useState<Problem | null>(null)
  const of = `${path} ${tick}`
  useLayoutEffect(() => {
    const known = held.current.of === of ? held.current.map : new Map<string, T>()
    const missing = ids.filter((id) => !known.has(id))
    if (missing.length === 0) return
    const abort = new AbortController()
    const keep = (entries: readonly T[]) => {
      const before = held.current.of === of ? held.current.map : []
      held.current = { of, map: new Map([...before, ...entries.map((entry) => [entry.checkId, entry] as const)]) }
      setShown(held.current.map)
      setProblem(null)
    }
    const fail = (fault: unknown) => abort.signal.aborted || setProblem(fault instanceof Problem ? fault : null)
    const ask = () => void askInParts(api, path, missing, abort.signal, keep).catch(fail)
    const pause = held.current.of === '' ? null : setTimeout(ask, typingPauseMs)
    if (pause === null) ask()
    return () => {
      if (pause !== null) clearTimeout(pause)
      abort.abort()
    }
  }, [of, [...ids].sort().join()])
  return { byCheck: shown, problem }
}

async function askInParts<T>(api: Api, path: string, ids: readonly string[], signal: AbortSignal, keep: (entries: readonly T[]) => void) {
  for (let start = 0; start < ids.length; start += checksPerCall) {
    const { data } = await api.ask<T[]>({ path, body: { checkIds: ids.slice(start, start + checksPerCall) } }, signal)
    keep(data)
  }
}
