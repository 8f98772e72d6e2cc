import { grouped } from '../../collections/lists.ts'
import { minuteMs } from '../../time.ts'
import { type AlertState, acknowledge, isOpen, putIncident } from '../decide/alert-state.ts'
import type { Silence } from '../decide/model.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type { AlertHistory, RecordedAcknowledgement } from '../outbox/alert-history.ts'

/** Recorded silences, acknowledgements and canaries as of an instant; instants must ascend. */
type ReplayedHistory = {
  /**
   * When a silence next begins or ends, a location becomes reachable or unreachable, or an acknowledgement was made; infinity for never.
   */
  nextAt(): number
  /** Applies the acknowledgements that were made until `now`. */
  advance(now: number, state: AlertState): void
  silences(): readonly Silence[]
  unreachable(): ReadonlyMap<string, number>
  /** When the probe after this failure found all canaries unreachable; null if it did not, or if an earlier probe already had. */
  canaryWaitUntil(location: string, failedAt: number): number | null
}

/** A failure is replayed at the start of its run, but its probe followed the end of the run. */
const probedWithinMs = minuteMs

export function createReplayedHistory({ rules }: Pick<AlertPlan, 'rules'>, history: AlertHistory): ReplayedHistory {
  const { silences, acknowledgements, unreachable } = history
  const lossesOf = grouped(
    unreachable.filter(({ from, to }) => from !== to),
    ({ location }) => location,
  )
  let at = Number.NEGATIVE_INFINITY
  const spans = [...silences, ...unreachable].flatMap(({ from, to }) => [from, to ?? Number.POSITIVE_INFINITY])
  const times = [...new Set([...spans, ...acknowledgements.map(({ at }) => at)])].sort((a, b) => a - b)
  const ordered = acknowledgements.toSorted((a, b) => a.at - b.at)
  let next = 0
  let acknowledged = 0
  let silent: readonly Silence[] = []
  let lost: ReadonlyMap<string, number> = new Map()

  return {
    nextAt: () => times[next] ?? Number.POSITIVE_INFINITY,
    advance(now, state) {
      at = now
      while ((times[next] ?? Number.POSITIVE_INFINITY) <= now) next++
      silent = silences.filter((silence) => silence.from <= now && now < silence.to)
      lost = new Map(
        unreachable
          .filter(({ from, to }) => from <= now && now < (to ?? Number.POSITIVE_INFINITY))
          .map((each) => [each.location, each.from]),
      )
      for (let each = ordered[acknowledged]; each && each.at <= now; each = ordered[++acknowledged])
        apply(state, each, rules.has(each.rule))
    },
    silences: () => silent,
    unreachable: () => lost,
    canaryWaitUntil(location, failedAt) {
      const loss = lossesOf.get(location)?.find(({ from }) => from >= failedAt && from > at && from < failedAt + probedWithinMs)
      return loss?.from ?? null
    },
  }
}

/** Matches an acknowledgement by rule or, if that rule no longer exists, by condition. */
function apply(state: AlertState, { rule, condition, subjects, at, by }: RecordedAcknowledgement, isRuleKnown: boolean): void {
  const known = new Set(subjects)
  for (const incident of state.incidents.values()) {
    if (!isOpen(incident) || incident.condition !== condition || (isRuleKnown && incident.rule !== rule)) continue
    if (incident.members.some((member) => isOpen(member) && known.has(member.subject))) putIncident(state, acknowledge(incident, by, at))
  }
}
