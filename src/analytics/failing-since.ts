import { lruCache } from '../cache/cache.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { rhythmOf } from '../catalogue/rhythm.ts'
import { checkKey } from '../ids/check-ref.ts'
import { checkState, currentResults, newestOf } from '../store/current-state.ts'
import type { Latest, QuestionOptions, Result, Store } from '../store/store.ts'
import type { StateInterval } from '../store/timeline/interval.ts'
import { dayMs, hourMs, isRecent, minuteMs } from '../time.ts'

export type LatestOfChecks = { readonly checks: readonly Check[]; readonly latest: readonly Latest[]; readonly now: number }

/** Since when each check has been failing without a gap; null if it is not failing, or that is not known yet. */
type FailingSince = (of: LatestOfChecks, options: QuestionOptions) => Promise<readonly (number | null)[]>

/** The known state of a check at an instant. */
type Look = {
  readonly revision: string | undefined
  readonly at: number
  readonly isFailing: boolean
  readonly since: number | null
  /** When its whole outage was read. */
  readonly searchedAt: number
}
type FailingCheck = {
  readonly check: Check
  readonly revision: string | undefined
  readonly newest: Result
  readonly before: Look | undefined
}
type SearchContext = { readonly store: Pick<Store, 'states' | 'outages'>; readonly now: number; readonly options: QuestionOptions }
type SinceByCheck = ReadonlyMap<Check, number | null>

const capacity = 100_000
/** After a longer pause, reading the outage costs less than reading all results since. */
const followMs = dayMs
/** Results that arrive late may lengthen an outage. */
const searchAgainMs = hourMs
/** Maximum number of checks searched per call; further ones are known a call later. */
const mostSearched = 500
const mostOutages = 1000
const shortPeriodMs = 10 * minuteMs

/** Queries only failing checks with newer results: incrementally, and once an hour for the whole outage. */
export function cachedFailingSince(store: SearchContext['store']): FailingSince {
  const looks = lruCache<string, Look>(capacity)
  const keyOf = (check: Check) => checkKey(refOf(check))
  return async ({ checks, latest, now }, options) => {
    const failing: FailingCheck[] = []
    for (const [i, check] of checks.entries()) {
      const revision = latest[i]?.revision
      const newest = newestFailing(check, latest[i], now)
      if (newest) failing.push({ check, revision, newest, before: looks.get(keyOf(check)) })
      else looks.set(keyOf(check), { revision, at: now, isFailing: false, since: null, searchedAt: now })
    }
    const stale = failing.filter(
      ({ before, revision }) => before?.since === undefined || before.since === null || before.revision !== revision,
    )
    const asked: SearchContext = { store, now, options }
    const followed = await follow(
      stale.filter((one) => canFollow(one, now)),
      asked,
    )
    const unknown = stale.filter(({ check }) => !followed.has(check)).slice(0, mostSearched)
    const searched = await search(unknown, asked)
    for (const { check, revision, before } of stale) {
      const since = searched.get(check) ?? followed.get(check)
      if (since === undefined && !searched.has(check)) continue
      const searchedAt = searched.has(check) ? now : (before?.searchedAt ?? now)
      looks.set(keyOf(check), { revision, at: now, isFailing: true, since: since ?? null, searchedAt })
    }
    const isFailing = new Set(failing.map(({ check }) => check))
    return checks.map((check) => (isFailing.has(check) ? (looks.get(keyOf(check))?.since ?? null) : null))
  }
}

/** The newest failing result of a check in state failing; null in any other state. */
export function newestFailing(check: Check, latest: Latest | undefined, now: number): Result | null {
  if (checkState(check, latest, now) !== 'failing') return null
  return newestOf(currentResults(check, latest, now).filter(({ hasFailures }) => hasFailures))
}

function canFollow({ before }: FailingCheck, now: number): boolean {
  return before !== undefined && isRecent(before.at, followMs, now) && isRecent(before.searchedAt, searchAgainMs, now)
}

/** Since when the checks are down, from results after the last look. */
async function follow(checks: readonly FailingCheck[], { store, now, options }: SearchContext): Promise<SinceByCheck> {
  const from = Math.min(now, ...checks.map(({ before }) => before?.at ?? now))
  if (checks.length === 0 || from === now) return new Map()
  const window = { from, to: now }
  const sources = checks.map(({ check }) => ({ ...stateSource(check), maintenance: [] }))
  const whole = { quorum: 1, byLocation: false, serviceHours: null, minOutageMs: 0, rows: [window], intervals: true } as const
  const states = await store.states({ sources, window, now, ...whole }, options)
  return new Map(
    checks.flatMap(({ check, newest, before }, i): [Check, number | null][] => {
      const down = states[i]?.intervals.findLast((interval) => interval.state === 'down' && holds(interval, newest))
      if (down === undefined) return []
      if (down.from > from) return [[check, down.from]]
      return before?.isFailing && before.since !== null ? [[check, before.since]] : []
    }),
  )
}

/**
 * The starts of the current outages. Checks with short periods are searched separately: within the periods of other checks, they may have
 * had many outages.
 */
async function search(checks: readonly FailingCheck[], asked: SearchContext): Promise<SinceByCheck> {
  const isShort = ({ check }: FailingCheck) => check.everyMs <= shortPeriodMs
  const [short, long] = await Promise.all([
    searchOutages(checks.filter(isShort), asked),
    searchOutages(
      checks.filter((one) => !isShort(one)),
      asked,
    ),
  ])
  return new Map([...short, ...long])
}

async function searchOutages(checks: readonly FailingCheck[], { store, now, options }: SearchContext): Promise<SinceByCheck> {
  if (checks.length === 0) return new Map()
  const window = { from: Math.min(...checks.map(({ newest }) => newest.startedAt)), to: now }
  const sources = checks.map(({ check }) => stateSource(check))
  const question = { sources, window, now, quorum: 1, minMs: 0, after: null, limit: mostOutages }
  const outages = await store.outages(question, options)
  return new Map(
    checks.map(({ check, newest }) => {
      const own = outages.find(({ check: { checkId }, from, to }) => checkId === check.id && holds({ from, to: to ?? now }, newest))
      return [check, own?.from ?? null]
    }),
  )
}

const stateSource = (check: Check) => ({ check: refOf(check), rhythm: rhythmOf(check) })

function holds({ from, to }: Pick<StateInterval, 'from' | 'to'>, { startedAt }: Result): boolean {
  return from <= startedAt && startedAt <= to
}
