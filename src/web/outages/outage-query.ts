import type { Outage } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import type { Exported } from '../share/exports.ts'
import type { Route } from '../state/route.tsx'
import { endsOf, isNamed, type TimeWindow, windowParameters } from '../state/window.ts'

/** Which outages are listed. */
export type OutageFilter = {
  readonly checkId: string | null
  readonly tag: string | null
  readonly checkType: string | null
  readonly location: string | null
  /** Null for both. */
  readonly state: OutageState | null
}
/** All of them. */
export const anyOutage: OutageFilter = { checkId: null, tag: null, checkType: null, location: null, state: null }

export type OutageState = 'open' | 'over'

export type OutagesFound = {
  /** Those that last come first, each part newest first. */
  readonly outages: readonly Outage[]
  /** All that there are, whether or not they are listed. */
  readonly total: number
  readonly open: number
  /** Of all of them together. */
  readonly seconds: number
}

type OutagesPage = {
  readonly outages: readonly Outage[]
  readonly totals?: { readonly outages: number; readonly seconds: number }
  readonly pagination: { readonly next: string | null }
}

/** Of one answer of the API. */
export const outagesPerCall = 1000

export function outageFilter({ query }: Pick<Route, 'query'>): OutageFilter {
  const state = query.get('state')
  return {
    checkId: query.get('checkId'),
    tag: query.get('tag'),
    checkType: query.get('checkType'),
    location: query.get('location'),
    state: state === 'open' || state === 'over' ? state : null,
  }
}

export function outagesPath(filter: OutageFilter, window: TimeWindow, more: readonly (readonly [string, string])[]): string {
  const { location, ...rest } = filter
  const named = Object.entries({ ...rest, runLocation: location })
  const chosen = named.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]))
  const query = [...chosen, ...windowParameters(window), ...more]
  return `/v1/analytics/outages?${query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}

/** The outages that last and, up to `limit`, those that are over. */
export async function loadOutages(
  api: Api,
  { filter, window, limit, signal }: { filter: OutageFilter; window: TimeWindow; limit: number; signal: AbortSignal },
): Promise<OutagesFound> {
  const ends = isNamed(window) ? window : endsOf(window, Date.now())
  const load = (state: OutageState, most: number) =>
    filter.state === null || filter.state === state ? loadPages(api, { filter: { ...filter, state }, window: ends, most, signal }) : none
  const [open, over] = await Promise.all([load('open', outagesPerCall), load('over', limit)])
  return {
    outages: [...open.outages, ...over.outages],
    total: open.total + over.total,
    open: open.total,
    seconds: open.seconds + over.seconds,
  }
}

type Pages = { readonly filter: OutageFilter; readonly window: TimeWindow; readonly most: number; readonly signal: AbortSignal }
type LoadedPages = { readonly outages: readonly Outage[]; readonly total: number; readonly seconds: number }

const none: LoadedPages = { outages: [], total: 0, seconds: 0 }

async function loadPages(api: Api, { filter, window, most, signal }: Pages): Promise<LoadedPages> {
  const outages: Outage[] = []
  let totals = { outages: 0, seconds: 0 }
  let cursor: string | null = null
  do {
    const limit = String(Math.min(outagesPerCall, most - outages.length))
    const more: readonly (readonly [string, string])[] = [['limit', limit], cursor === null ? ['totals', 'true'] : ['cursor', cursor]]
    const { data }: { data: OutagesPage } = await api.request<OutagesPage>({ path: outagesPath(filter, window, more) }, signal)
    outages.push(...data.outages)
    totals = data.totals ?? totals
    cursor = data.pagination.next
  } while (cursor !== null && outages.length < most)
  return { outages, total: totals.outages, seconds: totals.seconds }
}

/** As CSV, as many as one answer has. */
export function outagesExport(name: string, filter: OutageFilter, window: TimeWindow): Exported {
  const more = [
    ['limit', String(outagesPerCall)],
    ['format', 'csv'],
  ] as const
  const exact = endsOf(window, Date.now())
  return {
    name: `${name} outages`,
    exact: [{ path: outagesPath(filter, exact, more) }],
    rolling: isNamed(window) ? [{ path: outagesPath(filter, window, more) }] : null,
    rows: [],
    wholeCsv: true,
    root: '',
  }
}
