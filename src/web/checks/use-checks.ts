import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { minuteMs } from '../../time.ts'
import type { Check, CheckStatus, Summary } from '../api/answers.ts'
import { type Api, type ApiAnswer, type ApiRequest, Problem } from '../api/client.ts'
import { type Resource, useDefinitions, useSession } from '../api/use-resource.ts'
import { readerZone } from '../state/zone.ts'

export const checksPerCall = 100
const typingPauseMs = 60
/** Summaries of a window that have not progressed for this long are taken for lost. */
const patienceMs = minuteMs

export function useChecks(): Resource<readonly Check[]> {
  return useDefinitions('checks', loadChecks)
}

/** The statuses of the whole account, kept up to date in every view. */
export function useStatuses(): Resource<ReadonlyMap<string, CheckStatus>> {
  const { states, problem, reload } = useSession()
  return { data: states, problem, loading: false, retry: reload }
}

/** The number of failing checks among those loaded. */
export function failingIn(states: ReadonlyMap<string, CheckStatus> | undefined): number {
  return [...(states?.values() ?? [])].filter(({ state }) => state === 'failing').length
}

export function checksRequest(page: number): ApiRequest {
  return { path: `/v1/checks?limit=${checksPerCall}&page=${page}` }
}

async function loadChecks(api: Api, signal: AbortSignal): Promise<readonly Check[]> {
  const loadPage = (page: number) => api.request<Check[]>(checksRequest(page), signal)
  const first = await loadPage(1)
  const pages = Array.from({ length: Math.ceil(totalOf(first) / checksPerCall) - 1 }, (_, index) => index + 2)
  const rest = await Promise.all(pages.map(loadPage))
  return [first, ...rest].flatMap(({ data }) => data)
}

function totalOf({ headers, data }: ApiAnswer<Check[]>): number {
  return Number(headers.get('Content-Range')?.split('/')[1] ?? data.length) || data.length
}

export type SummaryPaths = {
  /** The request for the window as of now. */
  readonly path: string
  /** The same request for the rolling window; null if the API has no name for the window. */
  readonly rolling: string | null
  /** Identifies the window independently of the current time. */
  readonly window: string
}
type Summaries = {
  readonly byCheck: ReadonlyMap<string, Summary>
  readonly problem: Problem | null
  readonly loading: boolean
  retry(): void
}
type CachedSummaries = SummaryPaths & { readonly map: ReadonlyMap<string, Summary> }

const summariesKey = 'summaries'
const noSummaries: CachedSummaries = { path: '', rolling: null, window: '', map: new Map() }

/**
 * Summaries of these checks. Requests only uncached ones, and shows the previous data until all have arrived. If the window moves on meanwhile,
 * the next load waits: summaries of many checks may take longer than the refresh interval.
 */
export function useSummaries(paths: SummaryPaths, ids: readonly string[]): Summaries {
  const { api, cache } = useSession()
  const now = { ...paths, window: `${readerZone()} ${paths.window}` }
  const loading = useRef({ of: now, progressAt: Number.NEGATIVE_INFINITY })
  if (loading.current.of.window !== now.window || Math.abs(Date.now() - loading.current.progressAt) >= patienceMs) loading.current.of = now
  const { path, rolling, window } = loading.current.of
  const latest = useRef((cache.get(summariesKey) as CachedSummaries | undefined) ?? noSummaries)
  const [shown, setShown] = useState(latest.current)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [attempt, setAttempt] = useState(0)
  useLayoutEffect(() => {
    const loaded = latest.current.path === path ? latest.current.map : new Map<string, Summary>()
    const missing = ids.filter((id) => !loaded.has(id))
    if (missing.length === 0) return setShown((last) => (latest.current.path === path ? latest.current : last))
    const abort = new AbortController()
    const add = (entries: readonly Summary[]) => {
      loading.current.progressAt = Date.now()
      const before = latest.current.path === path ? latest.current.map : []
      latest.current = { path, rolling, window, map: new Map([...before, ...entries.map((entry) => [entry.checkId, entry] as const)]) }
      cache.set(summariesKey, latest.current)
      setShown((last) => (last.path === '' || last.path === path ? latest.current : last))
    }
    const done = () => {
      loading.current.progressAt = Number.NEGATIVE_INFINITY
      setShown({ ...latest.current })
      setProblem(null)
    }
    const fail = (fault: unknown) => {
      if (abort.signal.aborted) return
      loading.current.progressAt = Number.NEGATIVE_INFINITY
      setProblem(fault instanceof Problem ? fault : null)
    }
    loading.current.progressAt = Date.now()
    const load = () => void requestInBatches(api, path, missing, abort.signal, add).then(done, fail)
    const pause = latest.current.path === '' ? null : setTimeout(load, typingPauseMs)
    if (pause === null) load()
    return () => {
      if (pause !== null) clearTimeout(pause)
      abort.abort()
    }
  }, [path, [...ids].sort().join(), attempt])
  const retry = () => setAttempt((before) => before + 1)
  const isOther = shown.window !== window
  return { byCheck: isOther && problem !== null ? noSummaries.map : shown.map, problem, loading: isOther && problem === null, retry }
}

type Add = (entries: readonly Summary[]) => void

async function requestInBatches(api: Api, path: string, ids: readonly string[], signal: AbortSignal, add: Add): Promise<void> {
  for (let start = 0; start < ids.length; start += checksPerCall) {
    await requestBatch(api, { path, ids: ids.slice(start, start + checksPerCall) }, signal, add)
  }
}

type Batch = { readonly path: string; readonly ids: readonly string[] }

/** A batch that reads more than the server accepts is requested in halves. */
async function requestBatch(api: Api, { path, ids }: Batch, signal: AbortSignal, add: Add): Promise<void> {
  try {
    const { data } = await api.request<Summary[]>({ path, body: { checkIds: ids } }, signal)
    add(data)
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.code !== 'QUERY_TOO_LARGE' || ids.length < 2) throw problem
    const half = Math.ceil(ids.length / 2)
    for (const some of [ids.slice(0, half), ids.slice(half)]) await requestBatch(api, { path, ids: some }, signal, add)
  }
}
