import type { AlertRule } from '../../catalogue/policies/policies.ts'
import { minuteMs } from '../../time.ts'
import type { DecideInput } from './input.ts'
import { endMember, type Turn } from './members.ts'
import type { Incident, Member } from './model.ts'

/** Failures at a location within this time count together. */
export const stormMs = minuteMs
const leastFailures = 5

type LocationStorm = {
  /** Checks of the location that began to fail within the last minute. */
  readonly recent: number
  readonly down: number
  readonly known: number
}

const counted = new WeakMap<DecideInput, Map<string, LocationStorm>>()

/** Cached per decision, since every failing check asks. */
export function stormAt(input: DecideInput, location: string): LocationStorm {
  const known = counted.get(input) ?? new Map<string, LocationStorm>()
  counted.set(input, known)
  const storm = known.get(location) ?? countStorm(input, location)
  known.set(location, storm)
  return storm
}

function countStorm({ facts, now }: DecideInput, location: string): LocationStorm {
  const { known, down } = facts.location(location)
  let recent = 0
  if (down.size >= leastFailures) for (const since of down.values()) if (since > now - stormMs && since <= now) recent++
  return { recent, down: down.size, known }
}

export const mayBeStorm = ({ recent }: LocationStorm) => recent >= leastFailures

/** With too few checks for a storm, only canaries can show that a location has failed. */
const isCalm = ({ down, known }: LocationStorm) => known < leastFailures || 2 * down < known

/** Opens and closes the incidents of these locations; returns whether any did. */
export function updateStorms(turn: Turn, input: DecideInput, locations: Iterable<string>): boolean {
  let changed = false
  for (const name of locations) {
    const rule = input.plan.rulesByLocation.get(name)?.[0]
    const open = turn.draft.ofGroup({ condition: 'location', rule: '', key: name })
    const storm = stormAt(input, name)
    const since = input.unreachable.get(name)
    if (open) changed = endStorm(turn, open, { isCovered: rule !== undefined, isOver: since === undefined && isCalm(storm) }) || changed
    else if (rule && (since !== undefined || (mayBeStorm(storm) && 2 * storm.recent >= storm.known))) {
      turn.draft.put(locationIncident(turn, rule, name, since ?? stormSince(input, name)))
      changed = true
    }
  }
  return changed
}

function endStorm(turn: Turn, open: Incident, { isCovered, isOver }: { readonly isCovered: boolean; readonly isOver: boolean }): boolean {
  if (isCovered && !isOver) return false
  for (const member of open.members) endMember(turn, open, member, isCovered ? 'recovered' : 'removed')
  return true
}

function stormSince({ facts, now }: DecideInput, location: string): number {
  let since = now
  for (const at of facts.location(location).down.values()) if (at > now - stormMs && at < since) since = at
  return since
}

function locationIncident({ newId, now }: Turn, { id: rule, severity }: AlertRule, location: string, since: number): Incident {
  const member: Member = {
    subject: location,
    checkId: null,
    name: location,
    since,
    openedAt: now,
    closedAt: null,
    until: null,
    endedBy: null,
    reason: null,
    locations: null,
    result: null,
    certificateDays: null,
    changes: [now],
    flappingSince: null,
  }
  const open = { openedAt: now, closedAt: null, acknowledged: null }
  return { id: newId(), account: '', rule, key: location, condition: 'location', severity, ...open, members: [member] }
}
