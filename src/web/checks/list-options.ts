import type { Check, CheckStatus, Hour, State, Summary } from '../api/answers.ts'
import type { Route } from '../state/route.tsx'
import { stateOf, states } from '../view/state.tsx'
import { checksPerCall } from './use-checks.ts'

const sorts = ['state', 'name', 'type', 'availability', 'p95', 'certificate', 'lastRun'] as const
export type Sort = (typeof sorts)[number]

/** These sort in descending order by default: slowest and latest first. */
export const largestFirst: readonly Sort[] = ['p95', 'lastRun']

export type ListRow = {
  readonly check: Check
  readonly typeLabel: string
  /** Null until loaded. */
  readonly state: State | null
  readonly status: CheckStatus | undefined
  readonly lastRun: number | null
  readonly availability: number | null | undefined
  readonly p95: number | null | undefined
  /** Days until the certificate expires; null without a certificate. */
  readonly certificate: number | null
  readonly hours: readonly Hour[] | undefined
}

export type ListState = {
  readonly search: string
  readonly checkType: string
  readonly tag: string
  readonly location: string
  readonly status: string
  /** Only checks whose certificate expires within this many days; null for all. */
  readonly expiresWithin: number | null
  readonly sort: Sort
  /** Whether the default direction of the column is reversed. */
  readonly reversed: boolean
  readonly page: number
}

/** A certificate that expires within this time needs attention. */
export const soonDays = 14

export function listState({ query }: Route): ListState {
  const sort = query.get('sort') ?? ''
  const name = sort.replace(/^-/, '')
  return {
    search: query.get('search') ?? '',
    checkType: query.get('checkType') ?? '',
    tag: query.get('tag') ?? '',
    location: query.get('location') ?? '',
    status: query.get('status') ?? '',
    expiresWithin: query.get('certificate') === String(soonDays) ? soonDays : null,
    sort: sorts.find((sort) => sort === name) ?? 'state',
    reversed: sort.startsWith('-'),
    page: Math.max(1, Math.floor(Number(query.get('page'))) || 1),
  }
}

type Loaded = {
  readonly statuses: ReadonlyMap<string, CheckStatus> | undefined
  readonly summaries: ReadonlyMap<string, Summary>
  readonly labels: ReadonlyMap<string, string>
}

export function entryOf(check: Check, { statuses, summaries, labels }: Loaded): ListRow {
  const status = statuses?.get(check.id)
  const summary = summaries.get(check.id)
  return {
    check,
    typeLabel: labels.get(check.checkType) ?? check.checkType,
    state: statuses === undefined && check.activated ? null : stateOf(check, status),
    status,
    lastRun: status?.lastCheckRunId ? Date.parse(status.updated_at) : null,
    availability: summary?.availability,
    p95: p95Of(summary),
    certificate: status?.sslDaysRemaining ?? null,
    hours: summary?.data,
  }
}

/** The first p95 of a summary, which is that of the duration; null without one. */
function p95Of(summary: Summary | undefined): number | null | undefined {
  if (summary === undefined) return undefined
  const value = Object.entries(summary).find(([name]) => name.endsWith('_p95'))?.[1]
  return typeof value === 'number' ? value : null
}

export function filtered(entries: readonly ListRow[], state: ListState): ListRow[] {
  const search = state.search.trim().toLowerCase()
  return entries.filter(
    ({ check, certificate, state: now }) =>
      (search === '' || searchable(check).some((text) => text.toLowerCase().includes(search))) &&
      (state.checkType === '' || check.checkType === state.checkType) &&
      (state.tag === '' || check.tags.includes(state.tag)) &&
      (state.expiresWithin === null || (certificate !== null && certificate < state.expiresWithin)) &&
      (state.location === '' || check.locations.includes(state.location)) &&
      (state.status === '' || now === state.status),
  )
}

/** The number of checks in each state among those that match all other filters. */
export function countsByState(entries: readonly ListRow[], state: ListState): readonly { readonly state: State; readonly count: number }[] {
  const others = filtered(entries, { ...state, status: '' })
  return states.map((state) => ({ state, count: others.filter((entry) => entry.state === state).length })).filter(({ count }) => count > 0)
}

/** Name, tags and hosts. */
function searchable({ name, tags, request: { url, hostname, query } }: Check): string[] {
  const host = typeof url === 'string' && URL.canParse(url) ? new URL(url).host : ''
  return [name, ...tags, host, String(hostname ?? ''), String(query ?? '')]
}

export function sorted(entries: readonly ListRow[], { sort, reversed }: ListState): ListRow[] {
  const key = keys[sort]
  const direction = reversed ? -1 : 1
  return [...entries].sort((a, b) => direction * compare(key(a), key(b)) || compare(a.check.name, b.check.name))
}

export function listPage(entries: readonly ListRow[], page: number): { entries: ListRow[]; page: number; pages: number } {
  const pages = Math.max(1, Math.ceil(entries.length / checksPerCall))
  const shown = Math.min(page, pages)
  return { entries: entries.slice((shown - 1) * checksPerCall, shown * checksPerCall), page: shown, pages }
}

const keys: Readonly<Record<Sort, (entry: ListRow) => string | number>> = {
  state: ({ state }) => (state === null ? 0 : states.indexOf(state)),
  name: ({ check }) => check.name,
  type: ({ typeLabel }) => typeLabel,
  availability: ({ availability }) => availability ?? 101,
  p95: ({ p95 }) => -(p95 ?? -1),
  certificate: ({ certificate }) => certificate ?? Number.POSITIVE_INFINITY,
  lastRun: ({ lastRun }) => -(lastRun ?? 0),
}

const words = new Intl.Collator(undefined, { numeric: true })

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return words.compare(a, b)
  return a === b ? 0 : Number(a) - Number(b)
}
