import type { AlertRule } from '../../catalogue/policies/policies.ts'
import type { AlertCondition } from '../channels/message.ts'
import { isOpen } from './alert-state.ts'
import { isReached, type Reading, reachedAt } from './condition.ts'
import { digestEveryMs, digestFor } from './digest.ts'
import type { Draft } from './draft.ts'
import { flappingMs, recentChanges, settlesAt, withChange } from './flapping.ts'
import type { Incident, Member } from './model.ts'

/** Current data about the subject of a member. */
export type Subject = Pick<Member, 'subject' | 'checkId' | 'name' | 'locations' | 'result' | 'certificateDays'> & {
  readonly condition: AlertCondition
  /** The group of its incident. */
  readonly key: string
  readonly reason: string | null
  /** The most frequent reason. */
  readonly usualReason: string | null
}

export type Turn = { readonly draft: Draft; readonly now: number; readonly newId: () => string }
type MemberRule = Pick<AlertRule, 'id' | 'severity' | 'after' | 'recoverAfter'>

/** Opens or closes the member of a subject according to its reading. Returns when to do so again, or null. */
export function applyReading(turn: Turn, rule: MemberRule, subject: Subject, reading: Reading): number | null {
  const incident = turn.draft.ofSubject({ rule: rule.id, condition: subject.condition }, subject.subject)
  const member = incident?.members.find((each) => each.subject === subject.subject)
  if (!incident || !member || !isOpen(member)) return openWhenReached(turn, rule, subject, reading)
  const settled = settle(turn, incident, member)
  if (settled === null) return null
  if (reading.status === 'clear' && settled.until === null)
    return closeWhenReached(turn, rule, incident, { subject, reading, member: settled })
  if (reading.status === 'holds' && settled.until !== null)
    return reopenWhenReached(turn, rule, incident, { subject, reading, member: settled })
  return earliest(reading.status === 'holds' ? describeAgain(turn, incident, settled, subject) : null, settled)
}

/** Incidents with more members update their descriptions at most once a minute, since each change writes all of them. */
const fewMembers = 20

/** Updates the locations and the reason of an open member. Returns when to try again, or null. */
function describeAgain(turn: Turn, incident: Incident, member: Member, subject: Subject): number | null {
  const { locations, reason, result } = subject
  if (!locations || locations.down.length === 0 || JSON.stringify(locations) === JSON.stringify(member.locations)) return null
  const { members, openedAt, describedAt = openedAt } = turn.draft.incident(incident.id) ?? incident
  const readyAt = describedAt + digestEveryMs
  if (members.length > fewMembers && describedAt !== turn.now && turn.now < readyAt && turn.now >= describedAt) return readyAt
  turn.draft.put({ ...(turn.draft.incident(incident.id) ?? incident), describedAt: turn.now })
  putMember(turn, incident, { ...member, locations, reason, result })
  return null
}

function openWhenReached(turn: Turn, rule: MemberRule, subject: Subject, reading: Reading): number | null {
  if (reading.status !== 'holds') return null
  if (!isReached(rule.after, reading, turn.now)) return reachedAt(rule.after, reading)
  const opened = openMember(turn, rule, subject, reading.since)
  return opened.flappingSince === null ? null : settlesAt(opened)
}

function openMember({ draft, now, newId }: Turn, rule: MemberRule, subject: Subject, since: number): Member {
  const { condition, key, usualReason: _, ...about } = subject
  const last = draft.ofSubject({ rule: rule.id, condition }, subject.subject)
  const changes = recentChanges(last?.members.find((each) => each.subject === subject.subject) ?? { changes: [] }, now)
  const fresh: Member = { ...about, since, openedAt: now, closedAt: null, until: null, endedBy: null, changes, flappingSince: null }
  const member = withChange(fresh, now)
  const group = draft.ofGroup({ condition, rule: rule.id, key })
  const incident = last && isOpen(last) ? last : (group ?? ungrouped({ draft, now, newId }, rule, condition, key))
  const others = incident.members.filter((each) => each.subject !== member.subject)
  draft.put({ ...incident, members: [...others, member] }, [member])
  return member
}

function ungrouped({ draft, now, newId }: Turn, rule: MemberRule, condition: AlertCondition, key: string): Incident {
  const digest = digestFor(draft, { rule: rule.id, condition, now })
  if (digest === null) return newIncident({ id: newId(), condition, key, rule, now })
  return typeof digest === 'string' ? { ...newIncident({ id: newId(), condition, key: digest, rule, now }), isDigest: true } : digest
}

type NewIncident = Pick<Incident, 'id' | 'condition' | 'key'> & { readonly rule: MemberRule; readonly now: number }

/** The account is that of the plan: `decide` fills it in. */
function newIncident({ id, condition, key, rule, now }: NewIncident): Incident {
  return {
    id,
    account: '',
    rule: rule.id,
    key,
    condition,
    severity: rule.severity,
    openedAt: now,
    closedAt: null,
    acknowledged: null,
    members: [],
  }
}

type Found = { readonly subject: Subject; readonly reading: Reading; readonly member: Member }

function closeWhenReached(turn: Turn, rule: MemberRule, incident: Incident, { subject, reading, member }: Found): number | null {
  if (!isReached(rule.recoverAfter, reading, turn.now)) return earliest(reachedAt(rule.recoverAfter, reading), member)
  const over = withChange(
    { ...member, until: Math.max(reading.since, member.since), reason: subject.usualReason ?? member.reason },
    turn.now,
  )
  if (over.flappingSince !== null) {
    putMember(turn, incident, over)
    return settlesAt(over)
  }
  endMember(turn, incident, over, 'recovered')
  return null
}

/** The condition of a flapping member holds again; its incident never ended. */
function reopenWhenReached(turn: Turn, rule: MemberRule, incident: Incident, { reading, member }: Found): number | null {
  if (!isReached(rule.after, reading, turn.now)) return earliest(reachedAt(rule.after, reading), member)
  const again = withChange({ ...member, since: reading.since, until: null }, turn.now)
  putMember(turn, incident, again)
  return settlesAt(again)
}

function earliest(at: number | null, member: Member): number | null {
  if (member.flappingSince === null) return at
  return at === null ? settlesAt(member) : Math.min(at, settlesAt(member))
}

/** Ends the flapping of a member that has changed at most once recently; null if that closes the member. */
function settle(turn: Turn, incident: Incident, member: Member): Member | null {
  if (member.flappingSince === null || turn.now < settlesAt(member)) return member
  const settled = { ...member, flappingSince: null, changes: member.changes.filter((at) => at > turn.now - flappingMs) }
  if (settled.until !== null) {
    endMember(turn, incident, settled, 'recovered')
    return null
  }
  putMember(turn, incident, settled)
  return settled
}

export function endMember(turn: Turn, incident: Incident, member: Member, endedBy: NonNullable<Member['endedBy']>): void {
  endMembers(turn, incident, [member], endedBy)
}

export function endMembers(
  { draft, now }: Turn,
  incident: Incident,
  ending: readonly Member[],
  endedBy: NonNullable<Member['endedBy']>,
): void {
  if (ending.length === 0) return
  const current = draft.incident(incident.id) ?? incident
  const ended = new Map<string, Member>()
  for (const each of ending) ended.set(each.subject, { ...each, closedAt: now, until: each.until ?? now, endedBy, flappingSince: null })
  const members = current.members.map((each) => ended.get(each.subject) ?? each)
  draft.put({ ...current, members, closedAt: members.some(isOpen) ? null : now }, [...ended.values()])
}

function putMember({ draft }: Turn, { id, ...incident }: Incident, member: Member): void {
  const current = draft.incident(id) ?? { id, ...incident }
  draft.put({ ...current, members: current.members.map((each) => (each.subject === member.subject ? member : each)) }, [member])
}
