import { type Check, refOf } from '../catalogue/catalogue.ts'
import { maintenanceOf, type Policies } from '../catalogue/policies/policies.ts'
import { rhythmOf } from '../catalogue/rhythm.ts'
import type { FoundOutage, OutagePosition, OutagesQuery } from '../store/state-questions.ts'
import type { Window } from '../store/store.ts'
import type { Quorum } from '../store/timeline/state.ts'
import { isoText } from '../time.ts'
import { maintenanceSpans } from './time-options.ts'

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
export function outageEntries(
  found: readonly FoundOutage[],
  { checks, now }: Pick<OutagesRequest, 'checks' | 'now'>,
  policies: Policies,
): readonly OutageEntry[] {
  const byId = new Map(checks.map((check) => [check.id, check]))
  const inMaintenance = maintenanceFinder(found, now, policies)
  return found.flatMap((outage) => {
    const check = byId.get(outage.check.checkId)
    return check ? [entryOf(outage, check, { now, maintenance: inMaintenance(check, outage) })] : []
  })
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

/** Whether an outage overlaps a maintenance of its check. An outage may reach far beyond the window. */
function maintenanceFinder(found: readonly FoundOutage[], now: number, policies: Policies): (check: Check, outage: FoundOutage) => boolean {
  const ends = found.map(({ to }) => to ?? now)
  const hull = { from: Math.min(...found.map(({ from }) => from)), to: Math.max(...ends) }
  const spansOf = maintenanceSpans(found.length > 0 ? hull : null)
  return (check, { from, to }) =>
    maintenanceOf(policies, check).some((policy) => spansOf(policy).some((span) => span.from < (to ?? now) && span.to > from))
}
