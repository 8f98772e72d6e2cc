import type { AlertRule } from '../../catalogue/policies/policies.ts'
import type { AlertEvent, AlertMessage, MessageSubject } from '../channels/message.ts'
import type { CheckFacts } from '../facts/check-facts.ts'
import { isOpen } from './alert-state.ts'
import type { Draft } from './draft.ts'
import type { DecideInput } from './input.ts'
import type { Incident, Member } from './model.ts'
import { isDown } from './stance.ts'
import { locationsOf, tagOf } from './subjects.ts'
import { titleOf } from './titles.ts'

const maxSubjects = 20

export type Saying = {
  readonly event: AlertEvent
  readonly members: readonly Member[]
  /** Subjects that the channel was not notified of before. */
  readonly fresh: ReadonlySet<string>
  /** How many subjects the channel believes to be open afterwards. */
  readonly open: number
  readonly reminder: number | null
}

export function composeMessage(input: DecideInput, draft: Draft, incident: Incident, saying: Saying): AlertMessage {
  const { plan, now } = input
  const members = onePerCheck(incident, saying)
  const { down, known } = incident.condition === 'location' ? input.facts.location(incident.key) : { down: new Map(), known: 0 }
  const storm = incident.condition === 'location' ? { down: down.size, known } : null
  const group = groupOf(input, plan.rules.get(incident.rule), incident)
  const { event, fresh, open, reminder } = saying
  return {
    id: input.newId(),
    event,
    condition: incident.condition,
    severity: incident.severity,
    account: plan.account,
    rule: incident.rule,
    incident: { id: incident.id, openedAt: incident.openedAt, closedAt: incident.closedAt },
    title: titleOf({ event, condition: incident.condition, members, fresh, ...openOf(incident, open, members), group, storm, now }),
    subjects: members
      .slice(0, maxSubjects)
      .map((member) => subjectOf(input, draft, incident, { member, isNew: saying.fresh.has(member.subject) })),
    subjectCount: members.length,
    reminder,
    decidedAt: now,
    links: input.links.incident(incident),
  }
}

/** A certificate counts once, however many thresholds it has reached. */
function openOf({ condition, members: all, openedAt }: Incident, open: number, members: readonly Member[]) {
  const first = all.filter(isOpen).reduce((since, member) => Math.min(since, member.since), Number.POSITIVE_INFINITY)
  const count = condition === 'certificate' ? Math.min(open, members.length) : open
  return { open: count, openSince: Number.isFinite(first) ? first : openedAt }
}

/** New members first, then by `since`. Of a certificate, keeps only the last threshold that was reached. */
function onePerCheck({ condition }: Incident, { members, fresh }: Saying): readonly Member[] {
  const rank = ({ subject }: Member) => (fresh.has(subject) ? 0 : 1)
  const sorted = members.toSorted((a, b) => rank(a) - rank(b) || a.since - b.since)
  if (condition !== 'certificate') return sorted
  const byCheck = new Map(sorted.toReversed().map((member) => [member.checkId, member]))
  return [...byCheck.values()].reverse()
}

type Listed = { readonly member: Member; readonly isNew: boolean }

function subjectOf(input: DecideInput, draft: Draft, incident: Incident, { member, isNew }: Listed): MessageSubject {
  const check = member.checkId === null ? undefined : input.plan.checks.get(member.checkId)
  const facts = member.checkId === null ? null : input.facts.check(member.checkId)
  const current = facts && isOpen(member) && member.until === null ? currentDetails(incident, facts) : null
  const newest = incident.condition === 'degraded' ? facts?.newestDegraded : facts?.newestFailing
  return {
    name: member.name,
    check: check ? { id: check.id, type: check.checkType.type, tags: check.tags } : null,
    isNew,
    since: member.since,
    until: member.until,
    reason: member.reason,
    locations: member.locations,
    result: member.result,
    certificateDays: member.certificateDays,
    ...current,
    ...(check && current && incident.condition === 'failing'
      ? dependentsOf(input, draft, check.id)
      : { dependents: [], dependentCount: 0 }),
    links: member.checkId === null ? { check: null, run: null } : input.links.check(member.checkId, newest ?? null),
  }
}

/** A member has the details of its opening, but a message shows the current ones. */
function currentDetails({ condition }: Incident, facts: CheckFacts): Partial<MessageSubject> {
  if (condition === 'certificate') return { certificateDays: facts.certificateDays }
  const newest = condition === 'degraded' ? facts.newestDegraded : facts.newestFailing
  const locations = locationsOf(condition, facts)
  if (!newest) return { locations }
  const { error, ...result } = newest
  return { locations, reason: error, result }
}

/** Failing dependents first. The others may fail later, without a message of their own. */
function dependentsOf(input: DecideInput, draft: Draft, checkId: string): Pick<MessageSubject, 'dependents' | 'dependentCount'> {
  const all = (input.plan.dependents.get(checkId) ?? []).filter((id) => input.plan.checks.get(id)?.activated)
  const failing = all.filter((id) => isDown(input, draft, id))
  const named = [...new Set([...failing, ...all])].slice(0, maxSubjects)
  return { dependents: named.map((id) => input.plan.checks.get(id)?.name ?? id), dependentCount: all.length }
}

function groupOf(
  { plan }: DecideInput,
  rule: AlertRule | undefined,
  { key, condition, isDigest }: Incident,
): { name: string; size: number | null } | null {
  if (!rule || condition === 'location' || (!isDigest && rule.group.by === 'none')) return null
  const name = isDigest ? '' : key
  const checks = plan.selected.get(rule) ?? []
  if (condition === 'silent' || condition === 'sloBurn') return { name, size: null }
  if (isDigest) return { name, size: checks.length }
  const inGroup = rule.group.by === 'tag' ? checks.filter((check) => tagOf(rule.tags, check) === key) : checks
  return { name, size: inGroup.length }
}
