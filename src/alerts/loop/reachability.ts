import { type LocationRef, locationKey } from '../../ids/location-key.ts'
import { isRecent, minuteMs } from '../../time.ts'
import type { UnreachableSpell } from '../outbox/alert-records.ts'

/** A report of a process or an agent about the canaries of a location. */
export type ReachReport = {
  readonly account: string
  readonly location: string
  readonly by: string
  readonly isReached: boolean
  /** How long ago its probe began. */
  readonly agoMs: number
}

type Options = {
  readonly now: () => number
  readonly hasCanary: (place: LocationRef) => boolean
  /** The last record of each location. */
  readonly stored: readonly (LocationRef & { readonly since: number | null })[]
  readonly record: (spell: UnreachableSpell) => void
  readonly onChange: (account: string) => void
  /** Called when the probe that a decision waits for is done. */
  readonly onProbed: (account: string) => void
}

/** How long a report is valid: the time of four reports. */
const validMs = minuteMs
/** Longer than an urgent probe takes, including its report. */
const waitMs = 10_000
/** Used if only some reporters have probed since a failure, and reach nothing. Longer than the others take until their regular probe. */
const longWaitMs = 30_000

type Known = {
  readonly place: LocationRef
  /** By reporter. */
  readonly reports: Map<string, Report>
  unreachableSince: number | null
}

type Report = { readonly isReached: boolean; readonly at: number; readonly begunAt: number }

/** Tracks which locations cannot reach any of their canaries, from the reports of their runners. One runner that reaches any is enough. */
export function createReachability({ now, hasCanary, stored, record, onChange, onProbed }: Options) {
  const locations = new Map<string, Known>()
  const awaited = new Set<string>()
  const startedAt = now()
  for (const { account, location, since } of stored) put({ account, location }, since)

  function put(place: LocationRef, unreachableSince: number | null): Known {
    const known: Known = { place, reports: new Map(), unreachableSince }
    locations.set(locationKey(place), known)
    return known
  }

  /** Marks the start of recording with an empty interval. */
  function begin(place: LocationRef): Known {
    record({ ...place, from: now(), to: now() })
    return put(place, null)
  }

  const isValid = ({ at }: Report) => isRecent(at, validMs, now())

  function hear({ account, location, by, isReached, agoMs }: ReachReport): void {
    const place = { account, location }
    const known = locations.get(locationKey(place)) ?? begin(place)
    known.reports.set(by, { isReached, at: now(), begunAt: now() - agoMs })
    for (const [who, report] of known.reports) if (!isValid(report)) known.reports.delete(who)
    const isReachable = [...known.reports.values()].some((each) => each.isReached)
    if (isReachable !== (known.unreachableSince === null)) turn(known, isReachable)
    if (awaited.delete(locationKey(place))) onProbed(place.account)
  }

  /** Until when to wait for a probe that began after a failure; null if there is one already, or none will come. */
  function waitUntil(place: LocationRef, failedAt: number): number | null {
    const { reports = new Map<string, Report>(), unreachableSince = null } = locations.get(locationKey(place)) ?? {}
    const valid = [...reports.values()].filter(isValid)
    const since = valid.filter(({ begunAt }) => begunAt >= failedAt)
    const isExpected = hasCanary(place) && (valid.length > 0 || isRecent(startedAt, validMs, now()))
    if (!isExpected || unreachableSince !== null || since.some(({ isReached }) => isReached)) return null
    const until = failedAt + (since.length > 0 ? longWaitMs : waitMs)
    return now() >= failedAt && now() < until ? until : null
  }

  function turn(known: Known, isReachable: boolean): void {
    const { place, unreachableSince } = known
    record({ ...place, from: unreachableSince ?? now(), to: isReachable ? now() : null })
    known.unreachableSince = isReachable ? null : now()
    onChange(place.account)
  }

  return {
    hear(reports: readonly ReachReport[]): void {
      for (const report of reports) if (hasCanary(report)) hear(report)
    },
    /** Until when decisions about a failure wait; `onProbed` ends the wait earlier. */
    waitUntil(account: string, location: string, failedAt: number): number | null {
      const place = { account, location }
      const until = waitUntil(place, failedAt)
      if (until !== null) awaited.add(locationKey(place))
      return until
    },
    /** Locations that no longer have canaries in the config file count as reachable. */
    follow(): void {
      for (const known of locations.values()) if (known.unreachableSince !== null && !hasCanary(known.place)) turn(known, true)
    },
    of: (account: string): ReadonlyMap<string, number> =>
      new Map(
        [...locations.values()].flatMap(({ place, unreachableSince }) =>
          place.account === account && unreachableSince !== null ? [[place.location, unreachableSince] as const] : [],
        ),
      ),
  }
}
