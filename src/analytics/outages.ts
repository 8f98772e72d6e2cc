import { type Maintenance, occurrences } from '../calendar/schedule.ts'
import { mergeSpans, type Span } from '../calendar/window.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { maintenanceOf, type Policies } from '../catalogue/policies/policies.ts'
import { rhythmOf } from '../catalogue/rhythm.ts'
import { createTimedTurns } from '../concurrency/turns.ts'
import { firstNotBefore } from '../store/kernels/row-indexes.ts'
import type { FoundOutage, OutagePosition, OutagesQuery } from '../store/state-questions.ts'
import type { Window } from '../store/store.ts'
import type { Quorum } from '../store/timeline/state.ts'
import { dayMs, isoText } from '../time.ts'

type OutagesRequest = {
  readonly checks: readonly Check[]
  readonly window: Window
  readonly now: number
  readonly quorum: Quorum
  readonly minSeconds: number
  readonly state: 'open' | 'over' | null
  readonly runLocation: readonly string[]
  readonly limit: number
  readonly after: OutagePosition | null
}

/** The query for one page of outages, plus one outage to detect whether there is another page. */
export function planOutages({ checks, now, quorum, minSeconds, state, runLocation, limit, after, ...asked }: OutagesRequest): OutagesQuery {
  const sources = checks.map((check) => ({ check: refOf(check), rhythm: rhythmOf(check) }))
  const window = state === 'open' ? endOf(asked.window, now) : asked.window
  const chosen = {
    ...(state !== null && { ongoing: state === 'open' }),
    ...(runLocation.length > 0 && { locations: runLocation }),
  }
  return { sources, window, now, quorum, minMs: minSeconds * 1000, ...chosen, after, limit: limit + 1 }
}

/** An ongoing outage that overlaps a window overlaps its end, so only the end is read. */
function endOf({ from, to }: Window, now: number): Window {
  const end = Math.max(from, Math.min(to, now))
  return { from: Math.max(from, end - 1), to: end }
}

type OutageEntry = {
  readonly checkId: string
  readonly name: string
  readonly checkType: string
  readonly from: string
  readonly to: string | null
  readonly seconds: number
  readonly locations: readonly string[]
  readonly reason: string | null
  readonly firstResultId: string | null
  readonly lastResultId: string | null
  /** Whether it overlaps maintenance. */
  readonly maintenance: boolean
}

/** Outages as clients see them, in the same order. */
export async function outageEntries(
  found: readonly FoundOutage[],
  { checks, now }: Pick<OutagesRequest, 'checks' | 'now'>,
  policies: Policies,
): Promise<readonly OutageEntry[]> {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const isInMaintenance = maintenanceFinder(found, now, policies)
  const entries: OutageEntry[] = []
  for (const outage of found) {
    const check = byId.get(outage.check.checkId)
    if (check) entries.push(entryOf(outage, check, { now, maintenance: await isInMaintenance(check, outage) }))
  }
  return entries
}

function entryOf(
  outage: FoundOutage,
  check: Check,
  { now, maintenance }: { readonly now: number; readonly maintenance: boolean },
): OutageEntry {
  const { from, to, locations, reason, firstResultId, lastResultId } = outage
  return {
    checkId: check.id,
    name: check.name,
    checkType: check.checkType.type,
    from: isoText(from),
    to: to === null ? null : isoText(to),
    seconds: ((to ?? now) - from) / 1000,
    locations,
    reason,
    firstResultId,
    lastResultId,
    maintenance,
  }
}

/** The occurrences of a maintenance, ascending, with their ends. */
type Occurrences = { readonly spans: readonly Span[]; readonly ends: Float64Array }

/**
 * Whether an outage overlaps a maintenance of its check. Outages may be decades apart, and a maintenance may occur daily in between, so
 * only the time around outages is expanded, in turns.
 */
function maintenanceFinder(found: readonly FoundOutage[], now: number, policies: Policies) {
  const windows = windowsAround(found.map(({ from, to }) => ({ from, to: to ?? now })))
  const known = new Map<Maintenance, Occurrences>()
  const turns = createTimedTurns()
  const occurrencesOf = async (maintenance: Maintenance): Promise<Occurrences> => {
    const spans: Span[] = []
    for (const window of windows) {
      for (const span of occurrences(maintenance, window)) spans.push(span)
      await turns()
    }
    const expanded = { spans, ends: Float64Array.from(spans, ({ to }) => to) }
    known.set(maintenance, expanded)
    return expanded
  }
  return async (check: Check, { from, to }: FoundOutage): Promise<boolean> => {
    for (const policy of maintenanceOf(policies, check)) {
      const { spans, ends } = known.get(policy) ?? (await occurrencesOf(policy))
      const next = spans[firstNotBefore(ends, from + 1)]
      if (next && next.from < (to ?? now)) return true
    }
    return false
  }
}

const nearMs = 365 * dayMs

/** Windows that cover all spans, without the time between those that are far apart: expanding a year costs as much as a call. */
function windowsAround(spans: readonly Span[]): readonly Window[] {
  const widened = mergeSpans(spans.map(({ from, to }) => ({ from, to: Math.max(to, from + 1) + nearMs })))
  return widened.map(({ from, to }) => ({ from, to: to - nearMs }))
}
