import { type Maintenance, occurrences, serviceIntervals } from '../calendar/schedule.ts'
import type { Span } from '../calendar/window.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { maintenanceOf, type Policies, type ServiceHoursPolicy } from '../catalogue/policies/policies.ts'
import { rhythmOf } from '../catalogue/rhythm.ts'
import { apiError } from '../errors.ts'
import type { StatesQuery } from '../store/state-questions.ts'
import type { Window } from '../store/store.ts'
import type { Quorum } from '../store/timeline/state.ts'
import { nearest } from '../text/nearest.ts'
import { checkListed, checkScheduleDays } from './schedule-limits.ts'

/** The parameters of availability by time; null if a client sends none. */
export type TimeRequest = {
  readonly availabilityBy: 'runs' | 'time'
  readonly quorum: Quorum | null
  readonly degraded: 'up' | 'down' | null
  readonly maintenance: 'exclude' | 'include' | null
  readonly minOutageSeconds: number | null
  /** By name. */
  readonly serviceHours: string | null
  readonly explain: boolean | null
}

/** How availability by time is counted. */
export type TimeOptions = {
  readonly quorum: Quorum
  readonly degraded: 'up' | 'down'
  readonly maintenance: 'exclude' | 'include'
  readonly minOutageMs: number
  readonly serviceHours: ServiceHoursPolicy | null
  /** Whether the intervals of the window are listed. */
  readonly explain: boolean
}

/** The options of a request with their defaults; null for availability by runs, with which none of them may be given. */
export function chooseTimeOptions(asked: TimeRequest, policies: Policies): TimeOptions | null {
  const { availabilityBy, quorum, degraded, maintenance, minOutageSeconds, serviceHours, explain } = asked
  if (availabilityBy === 'runs') {
    const options = { quorum, degraded, maintenance, minOutageSeconds, serviceHours, explain }
    const given = Object.entries(options).find(([, value]) => value !== null)
    if (given) throw apiError('INVALID_PARAMETER', { name: given[0], expected: 'used together with availabilityBy=time' })
    return null
  }
  return {
    quorum: quorum ?? 1,
    degraded: degraded ?? 'up',
    maintenance: maintenance ?? 'exclude',
    minOutageMs: (minOutageSeconds ?? 0) * 1000,
    serviceHours: serviceHours === null ? null : findServiceHours(serviceHours, policies),
    explain: explain ?? false,
  }
}

type StatesRequest = {
  readonly checks: readonly Check[]
  readonly policies: Policies
  readonly window: Window
  readonly now: number
  /** The span of each row; time outside the window does not count. */
  readonly rows: readonly Span[]
  readonly byLocation: boolean
}

/** The query for the time of some checks in each state. */
export function planStates({ checks, policies, window, now, rows, byLocation }: StatesRequest, options: TimeOptions): StatesQuery {
  const { quorum, minOutageMs, explain, serviceHours } = options
  const past = pastOf(window, now)
  const isExcluded = options.maintenance === 'exclude'
  if (past) checkScheduleDays([...(isExcluded ? policies.maintenance : []), ...(serviceHours ? [serviceHours] : [])], past)
  const spansOf = maintenanceSpans(past)
  const maintenance = checks.map((check) => (isExcluded ? maintenanceOf(policies, check).flatMap(spansOf) : []))
  checkListed(maintenance.reduce((sum, spans) => sum + spans.length, 0))
  return {
    sources: checks.map((check, i) => ({ check: refOf(check), rhythm: rhythmOf(check), maintenance: maintenance[i] ?? [] })),
    window,
    now,
    quorum,
    byLocation,
    serviceHours: serviceHours && (past ? serviceIntervals(serviceHours, past) : []),
    minOutageMs,
    rows,
    intervals: explain,
  }
}

/** The occurrences of each maintenance, computed once for all checks that it applies to. */
function maintenanceSpans(window: Window | null): (maintenance: Maintenance) => readonly Span[] {
  const known = new Map<Maintenance, readonly Span[]>()
  return (maintenance) => {
    const spans = known.get(maintenance) ?? (window ? occurrences(maintenance, window) : [])
    known.set(maintenance, spans)
    return spans
  }
}

/** Nothing after now counts, and a window may end thousands of years later. */
function pastOf({ from, to }: Window, now: number): Window | null {
  return from > now ? null : { from, to: Math.min(to, now) }
}

function findServiceHours(name: string, { serviceHours }: Policies): ServiceHoursPolicy {
  const found = serviceHours.find((hours) => hours.name === name)
  if (found) return found
  const names = serviceHours.map((hours) => hours.name)
  const expected =
    names.length === 0
      ? 'left out: the config file has no service hours for this account'
      : `the name of service hours in the config file. Nearest: ${nearest(name, names, 1).join()}`
  throw apiError('INVALID_PARAMETER', { name: 'serviceHours', expected })
}
