import type { Check } from '../../catalogue/catalogue.ts'
import { currentMaintenance } from '../../catalogue/policies/current-maintenance.ts'
import { selects } from '../../catalogue/policies/policies.ts'
import { timelineState } from '../../store/timeline/state.ts'
import { minuteMs } from '../../time.ts'
import { isOpen } from './alert-state.ts'
import type { Draft } from './draft.ts'
import type { DecideInput } from './input.ts'
import { memberOf } from './member-index.ts'
import type { Incident, Member } from './model.ts'
import { mayBeStorm, stormAt, stormMs } from './storm.ts'

/** The state of a member that channels should be notified of; `same` for nothing new. */
export type Stance = {
  readonly wants: 'open' | 'closed' | 'same'
  readonly why: {
    readonly code: 'muted' | 'maintenance' | 'silence' | 'dependsOn' | 'parentPending' | 'storm' | 'stormPending' | 'canaryPending'
    readonly text: string
  } | null
  /** When to look again without a new event; null for never. */
  readonly until: number | null
}

export function stanceOf(input: DecideInput, draft: Draft, incident: Incident, member: Member): Stance {
  const check = member.checkId === null ? null : (input.plan.checks.get(member.checkId) ?? null)
  const isGone = member.endedBy === 'paused' || member.endedBy === 'removed'
  const quiet = isGone ? null : quietOf(input, check)
  if (quiet) return { wants: 'same', why: quiet, until: quiet.until }
  if (!isOpen(member)) return { wants: 'closed', why: null, until: null }
  const held = check && isOfStates(incident) ? (dependency(input, draft, member, check) ?? storm(input, draft, member, check)) : null
  return held ?? { wants: 'open', why: null, until: null }
}

const isOfStates = ({ condition }: Incident) => condition === 'failing' || condition === 'degraded'

function dependency(input: DecideInput, draft: Draft, member: Member, check: Check): Stance | null {
  // Without such a rule, nobody would be notified of the ancestor instead.
  const isCovered = (id: string) =>
    !input.plan.checks.get(id)?.muted && (input.plan.rulesOf.get(id) ?? []).some(({ when }) => when.kind === 'failing')
  const down = (input.plan.ancestors.get(check.id) ?? []).find((id) => isCovered(id) && isDown(input, draft, id))
  if (down !== undefined) {
    const name = input.plan.checks.get(down)?.name ?? down
    return { wants: 'same', why: { code: 'dependsOn', text: `${name}, which it depends on, is down` }, until: null }
  }
  for (const id of check.dependsOn.filter(isCovered)) {
    const parent = input.plan.checks.get(id)
    const newestAt = input.facts.check(id)?.newestAt ?? null
    if (!parent?.activated || (newestAt !== null && newestAt >= member.since)) continue
    const until = member.openedAt + Math.min(minuteMs, 1.5 * parent.everyMs)
    if (input.now >= until || input.now < member.openedAt) continue
    return {
      wants: 'same',
      why: { code: 'parentPending', text: `waiting for the next result of ${parent.name}, on which it depends` },
      until,
    }
  }
  return null
}

/** Whether a check is down by the majority of its locations or any rule. */
export function isDown({ facts, plan }: DecideInput, draft: Draft, checkId: string): boolean {
  if (!plan.checks.get(checkId)?.activated) return false
  const found = facts.check(checkId)
  if (found && timelineState(found.tally, 'majority') === 'down') return true
  return (plan.rulesOf.get(checkId) ?? []).some(({ id, when }) => {
    const incident = when.kind === 'failing' ? draft.ofSubject({ rule: id, condition: 'failing' }, checkId) : undefined
    const member = incident && memberOf(incident, checkId)
    return member !== undefined && isOpen(member)
  })
}

function storm(input: DecideInput, draft: Draft, member: Member, check: Check): Stance | null {
  const down = lastDown(input, member, check)
  if (down.length === 0) return null
  const others = down.filter((location) => draft.ofGroup({ condition: 'location', rule: '', key: location }) === undefined)
  if (others.length === 0) {
    const isCutOff = down.every((location) => input.unreachable.has(location))
    const what = isCutOff ? `${down.join(', ')} cannot reach any of its canaries` : `most checks at ${down.join(', ')} fail`
    return { wants: 'same', why: { code: 'storm', text: `${what}, which is sent once` }, until: null }
  }
  return canaries(input, check, others) ?? afterStorm(input, draft, { check, down }) ?? beforeStorm(input, member, down)
}

/** Waits for the next canary probe if each of these locations may have failed as a whole. */
function canaries({ facts, canaryWaitUntil }: DecideInput, { id }: Check, locations: readonly string[]): Stance | null {
  const waits = locations.map((location) => {
    const failedAt = facts.receivedAt(id, location)
    return failedAt === null ? null : canaryWaitUntil(location, failedAt)
  })
  if (waits.includes(null)) return null
  const text = `the connectivity of ${locations.join(', ')} is being tested`
  return { wants: 'same', why: { code: 'canaryPending', text }, until: Math.min(...waits.filter((at) => at !== null)) }
}

type Affected = { readonly check: Check; readonly down: readonly string[] }

/** Locations where a check is down, or was when it was last known. */
function lastDown({ facts }: DecideInput, { locations }: Member, { id }: Check): readonly string[] {
  const found = facts.check(id)
  return found && found.known > 0 ? found.downLocations : (locations?.down ?? [])
}

/** A check that failed in a storm that is over is reported only if its next result fails too, even if the failure arrived late. */
function afterStorm({ facts, now }: DecideInput, draft: Draft, { check, down }: Affected): Stance | null {
  const turnMs = check.everyMs * (check.runParallel ? 1 : Math.max(1, check.locations.length))
  for (const location of down) {
    const over = draft.endedStorm(location)
    if (over === undefined) continue
    const until = over + 1.5 * turnMs
    if (now < until && now >= over && (facts.newestAt(check.id, location) ?? 0) <= over) {
      return { wants: 'same', why: { code: 'stormPending', text: `${location} has recovered, and its next result is pending` }, until }
    }
  }
  return null
}

/** From the fifth failure within a minute on, waits for a possible storm. */
function beforeStorm(input: DecideInput, member: Member, down: readonly string[]): Stance | null {
  const until = member.openedAt + stormMs
  if (input.now >= until || input.now < member.openedAt) return null
  const location = down.find((name) => mayBeStorm(stormAt(input, name)))
  if (location === undefined) return null
  return { wants: 'same', why: { code: 'stormPending', text: `many checks at ${location} started to fail` }, until }
}

/** Why messages about a subject are held now, and until when; `until` is null if only a person can end it. */
type Quiet = { readonly code: 'muted' | 'maintenance' | 'silence'; readonly text: string; readonly until: number | null }

type QuietInput = Pick<DecideInput, 'now' | 'plan' | 'silences'>
type QuietCheck = Pick<Check, 'id' | 'tags' | 'muted'>

/** Null if the check is not quiet. A subject other than a check, passed as null, is quiet only during a silence of everything. */
function quietOf({ now, plan: { policies }, silences }: QuietInput, check: QuietCheck | null): Quiet | null {
  if (check?.muted) return { code: 'muted', text: 'it is muted', until: null }
  const maintenance = check && currentMaintenance(policies, now)(check)
  if (maintenance) return { code: 'maintenance', text: `of the maintenance "${maintenance.name}"`, until: maintenance.until }
  const silence = silences.find((each) => each.from <= now && now < each.to && silencesIt(each, check))
  if (!silence) return null
  const comment = silence.comment === '' ? '' : `: ${silence.comment}`
  return { code: 'silence', text: `of a silence by ${silence.by}${comment}`, until: silence.to }
}

function silencesIt(silence: DecideInput['silences'][number], check: QuietCheck | null): boolean {
  return check === null ? silence.checks.length === 0 && silence.tags.length === 0 : selects(silence, check)
}
