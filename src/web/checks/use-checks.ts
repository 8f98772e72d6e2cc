import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Check, CheckStatus, Summary } from '../api/answers.ts'
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

/** The call that answers as of now, and the same for a window that goes with the clock. */
export type SummaryPaths = { readonly path: string; readonly rolling: string }
type Summaries = { readonly byCheck: ReadonlyMap<string, Summary>; readonly problem: Problem | null; readonly loading: boolean }
type Held = SummaryPaths & { readonly map: ReadonlyMap<string, Summary> }

const summariesKey = 'summaries'
const nothingHeld: Held = { path: '', rolling: '', map: new Map() }

/** What a summary tells of these checks; only those not yet known are asked for, and the last data stays until all are there. */
export function useSummaries({ path, rolling }: SummaryPaths, ids: readonly string[]): Summaries {
  const { api, known: kept } = useSession()
  const held = useRef((kept.get(summariesKey) as Held | undefined) ?? nothingHeld)
  const [shown, setShown] = useState(held.current)
  const [problem, setProblem] = useState<Problem | null>(null)
  useLayoutEffect(() => {
    const known = held.current.path === path ? held.current.map : new Map<string, Summary>()
    const missing = ids.filter((id) => !known.has(id))
    if (missing.length === 0) return setShown((last) => (held.current.path === path ? held.current : last))
    const abort = new AbortController()
    const keep = (entries: readonly Summary[]) => {
      const before = held.current.path === path ? held.current.map : []
      held.current = { path, rolling, map: new Map([...before, ...entries.map((entry) => [entry.checkId, entry] as const)]) }
      kept.set(summariesKey, held.current)
      setShown((last) => (last.path === '' || last.path === path ? held.current : last))
    }
    const done = () => {
      setShown(held.current)
      setProblem(null)
    }
    const fail = (fault: unknown) => abort.signal.aborted || setProblem(fault instanceof Problem ? fault : null)
    const ask = () => void askInParts(api, path, missing, abort.signal, keep).then(done, fail)
    const pause = held.current.path === '' ? null : setTimeout(ask, typingPauseMs)
    if (pause === null) ask()
    return () => {
      if (pause !== null) clearTimeout(pause)
      abort.abort()
    }
  }, [path, [...ids].sort().join()])
  return { byCheck: shown.map, problem, loading: shown.rolling !== rolling && problem === null }
}

type Keep = (entries: readonly Summary[]) => void

async function askInParts(api: Api, path: string, ids: readonly string[], signal: AbortSignal, keep: Keep): Promise<void> {
  for (let start = 0; start < ids.length; start += checksPerCall) {
    const { data } = await api.ask<Summary[]>({ path, body: { checkIds: ids.slice(start, start + checksPerCall) } }, signal)
    keep(data)
  }
}
