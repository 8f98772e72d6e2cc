import type { Outage, Outages } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import type { Exported } from '../share/exports.ts'
import type { Route } from '../state/route.tsx'
import { endsOf, isNamed, type TimeWindow, windowParameters } from '../state/window.ts'

export type OutageFilter = {
  readonly checkId: string | null
  readonly tag: string | null
  readonly checkType: string | null
  readonly location: string | null
  /** Null for both states. */
  readonly state: OutageState | null
}
export const anyOutage: OutageFilter = { checkId: null, tag: null, checkType: null, location: null, state: null }

type OutageState = 'open' | 'over'

export type OutagesFound = {
  /** Open outages first, each state newest first. */
  readonly outages: readonly Outage[]
  /** The total, whether listed or not. */
  readonly total: number
  readonly open: number
  readonly seconds: number
  /** Where the next page starts; null at the end. */
  readonly next: OutagePlace | null
}

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

/** The start of a page. Open outages come before closed ones. */
export type OutagePlace = { readonly state: OutageState; readonly cursor: string | null }

export const firstOutage: OutagePlace = { state: 'open', cursor: null }

type OutageRequest = {
  readonly filter: OutageFilter
  readonly window: TimeWindow
  /** The maximum number of closed outages; at most `outagesPerCall`. */
  readonly limit: number
  readonly from?: OutagePlace
  readonly signal: AbortSignal
}

/** Loads a page of outages. A state that the page does not list is queried as well, because its totals are needed. */
export async function loadOutages(api: Api, { filter, window, limit, from = firstOutage, signal }: OutageRequest): Promise<OutagesFound> {
  const ends = isNamed(window) ? window : endsOf(window, Date.now())
  const load = (state: OutageState, most: number) => {
    if (filter.state !== null && filter.state !== state) return none
    const cursor = from.state === state ? from.cursor : null
    return loadPage(api, outagesPath({ ...filter, state }, ends, pageParameters(most, cursor)), signal)
  }
  const listsOpen = from.state === 'open'
  const [open, over] = await Promise.all([load('open', listsOpen ? outagesPerCall : 1), load('over', limit)])
  const listsOver = !listsOpen || open.next === null
  return {
    outages: [...(listsOpen ? open.outages : []), ...(listsOver ? over.outages : [])],
    total: open.total + over.total,
    open: open.total,
    seconds: open.seconds + over.seconds,
    next: listsOver ? placeOf('over', over.next) : placeOf('open', open.next),
  }
}

function placeOf(state: OutageState, cursor: string | null): OutagePlace | null {
  return cursor === null ? null : { state, cursor }
}

type LoadedPage = Pick<OutagesFound, 'outages' | 'total' | 'seconds'> & { readonly next: string | null }

const none: LoadedPage = { outages: [], total: 0, seconds: 0, next: null }

function pageParameters(limit: number, cursor: string | null): readonly (readonly [string, string])[] {
  return [['limit', String(limit)], ['totals', 'true'], ...(cursor === null ? [] : [['cursor', cursor] as const])]
}

async function loadPage(api: Api, path: string, signal: AbortSignal): Promise<LoadedPage> {
  const { outages, totals, pagination } = (await api.request<Outages>({ path }, signal)).data
  return { outages, total: totals?.outages ?? 0, seconds: totals?.seconds ?? 0, next: pagination.next }
}

/** Exports CSV. A response has only one page, and the cursor of the next one. */
export function outagesExport(
  name: string,
  { filter, window, total }: Pick<OutageRequest, 'filter' | 'window'> & { total: number },
): Exported {
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
    ...(total > outagesPerCall && {
      note: `A response has at most ${outagesPerCall.toLocaleString()} of these ${total.toLocaleString()} outages. The cursor of the next page is in its x-next-cursor header.`,
    }),
    root: '',
  }
}
