import type { Check } from '../../catalogue/catalogue.ts'
import type { AlertRule, Threshold } from '../../catalogue/policies/policies.ts'
import { ruleForCheck } from '../../catalogue/policies/subscriptions.ts'
import { isoText } from '../../time.ts'
import type { AlertState } from './alert-state.ts'
import { isOpen } from './alert-state.ts'
import { neverNotified, type Scene, sceneOf } from './compare.ts'
import { isReached, type Reading, reachedAt } from './condition.ts'
import { createDraft } from './draft.ts'
import type { DecideInput } from './input.ts'
import type { Incident, Member } from './model.ts'
import { silentFindings } from './silent.ts'
import { accessOf } from './steps.ts'
import { burnFindings, findingsOf, type SubjectFinding } from './subjects.ts'

/** Why a rule alerts or does not, with a code for programs. */
type Reason = {
  readonly code:
    | 'notSelected'
    | 'paused'
    | 'clear'
    | 'unknown'
    | 'pending'
    | 'recovering'
    | 'open'
    | 'flapping'
    | 'acknowledged'
    | 'muted'
    | 'maintenance'
    | 'silence'
    | 'dependsOn'
    | 'parentPending'
    | 'storm'
    | 'stormPending'
    | 'canaryPending'
    | 'notified'
    | 'sending'
    | 'groupWait'
    | 'step'
    | 'held'
    | 'dropped'
    | 'stopped'
    | 'recoveryPending'
  readonly text: string
}

export type RuleExplanation = { readonly rule: string; readonly reasons: readonly Reason[] }

type ExplainInput = DecideInput & {
  /** Why a channel accepts no messages, such as `it is broken: 410`; null if no problem is known. */
  readonly trouble: (channel: string) => string | null
}

export function explainAlerts(state: AlertState, input: ExplainInput, check: Check): readonly RuleExplanation[] {
  return Array.from(input.plan.rules.values(), (rule) => ({ rule: rule.id, reasons: reasonsOf(state, input, rule, check) }))
}

function reasonsOf(state: AlertState, input: ExplainInput, rule: AlertRule, check: Check): readonly Reason[] {
  if (!(input.plan.selected.get(rule) ?? []).some(({ id }) => id === check.id)) {
    return [{ code: 'notSelected', text: 'The rule does not match this check.' }]
  }
  if (!check.activated) return [{ code: 'paused', text: 'The check is paused.' }]
  const own = ruleForCheck(rule, check)
  const findings = findingsFor(input, own, check)
  if (findings.length === 0) return [{ code: 'unknown', text: 'No result yet.' }]
  return distinct(findings.flatMap((finding) => findingReasons(state, input, own, finding)))
}

/** Thresholds of a certificate share most reasons. */
function distinct(reasons: readonly Reason[]): readonly Reason[] {
  return [...new Map(reasons.map((reason) => [reason.text, reason])).values()]
}

function findingsFor(input: DecideInput, rule: AlertRule, check: Check): readonly SubjectFinding[] {
  if (rule.when.kind === 'silent') return silentFindings(rule, input).filter(({ location }) => check.locations.includes(location))
  if (rule.when.kind === 'sloBurn') return burnFindings(rule, input)
  const facts = input.facts.check(check.id)
  return facts === null ? [] : findingsOf(rule, check, facts, input.now)
}

function findingReasons(state: AlertState, input: ExplainInput, rule: AlertRule, { subject, reading }: SubjectFinding): readonly Reason[] {
  const draft = createDraft(state)
  const incident = draft.ofSubject({ rule: rule.id, condition: subject.condition }, subject.subject)
  const member = incident?.members.find((each) => each.subject === subject.subject)
  const what = subject.certificateDays === null ? subject.name : `The threshold of ${subject.subject.split(' ').at(-1)} days`
  const opens = () => notYetNotified(rule, { what, reading, now: input.now })
  if (!incident || !member) return [opens()]
  const scene = sceneOf(input, state, draft, incident)
  if (!isOpen(member)) return [opens(), ...endReasons(scene, member)]
  return [
    ...memberReasons(rule, member, { what, reading, now: input.now }),
    ...stanceReasons(scene, member),
    ...channelReasons(scene, member, input.trouble),
  ]
}

type Observed = { readonly what: string; readonly reading: Reading; readonly now: number }

function notYetNotified({ after }: AlertRule, { what, reading, now }: Observed): Reason {
  if (reading.status === 'clear') return { code: 'clear', text: `${what}: the condition does not hold.` }
  if (reading.status === 'neutral') return { code: 'unknown', text: `${what}: it is unknown whether the condition holds.` }
  if (isReached(after, reading, now)) return { code: 'pending', text: `${what}: the condition holds, and an alert opens now.` }
  return { code: 'pending', text: `${what}: the condition has held since ${isoText(reading.since)}, but ${missing(after, reading)}.` }
}

function missing(threshold: Threshold, reading: Reading): string {
  if ('runs' in threshold) {
    const more = threshold.runs - reading.runs
    return `needs ${more} more ${more === 1 ? 'run' : 'runs'}`
  }
  return `must hold until ${isoText(reachedAt(threshold, reading) ?? 0)}`
}

function memberReasons({ recoverAfter }: AlertRule, member: Member, { what, reading, now }: Observed): readonly Reason[] {
  const reasons: Reason[] = [{ code: 'open', text: `${what}: an alert has been open since ${isoText(member.openedAt)}.` }]
  if (member.flappingSince !== null) {
    reasons.push({ code: 'flapping', text: 'It changes often, so single changes are not sent until it settles.' })
  }
  if (reading.status === 'clear' && !isReached(recoverAfter, reading, now)) {
    reasons.push({ code: 'recovering', text: `It ended ${isoText(reading.since)}, but ${missing(recoverAfter, reading)}.` })
  }
  return reasons
}

function stanceReasons({ incident, stances }: Scene, member: Member): readonly Reason[] {
  const why = stances.get(member.subject)?.why
  const reasons: Reason[] = why ? [{ code: why.code, text: `Nothing is sent now, because ${why.text}.` }] : []
  if (incident.acknowledged) {
    reasons.push({ code: 'acknowledged', text: `${incident.acknowledged.by} acknowledged it at ${isoText(incident.acknowledged.at)}.` })
  }
  return reasons
}

/** Channels that still believe the member to be open. */
function endReasons({ state, incident, stances }: Scene, { subject }: Member): readonly Reason[] {
  const why = stances.get(subject)?.why
  const believing = [...(state.notified.get(incident.id)?.values() ?? [])].filter(({ open }) => open.includes(subject))
  return believing.map(({ channel }) => ({
    code: 'recoveryPending',
    text: `${channel} is not yet notified of its end${why ? `, because ${why.text}` : ''}.`,
  }))
}

function channelReasons(scene: Scene, member: Member, trouble: ExplainInput['trouble']): readonly Reason[] {
  const channels = new Set([...scene.steps.flatMap(({ to }) => to), ...(scene.state.notified.get(scene.incident.id)?.keys() ?? [])])
  return [...channels].map((channel) => channelReason(scene, member, { channel, trouble: trouble(channel) }))
}

type TroubledChannel = { readonly channel: string; readonly trouble: string | null }

function channelReason({ input, state, incident, steps, rule }: Scene, member: Member, { channel, trouble }: TroubledChannel): Reason {
  const notified = state.notified.get(incident.id)?.get(channel) ?? neverNotified(incident.id, channel)
  if (notified.open.includes(member.subject))
    return { code: 'notified', text: `${channel} was notified at ${isoText(notified.lastAt ?? 0)}.` }
  if (state.inFlight.get(incident.id)?.has(channel))
    return { code: 'sending', text: `A message to ${channel} is pending${trouble === null ? '' : `, but ${trouble}`}.` }
  const { code, at } = accessOf(steps, channel, incident, input.now)
  if (notified.dropped || code === 'dropped')
    return { code: 'dropped', text: `${channel} is not notified, because its step was outside its hours.` }
  if (code === 'held') return { code: 'held', text: `${channel} is notified when its hours start, at ${isoText(at ?? 0)}.` }
  if (code === 'waits')
    return { code: 'step', text: `${channel} is notified at ${isoText(at ?? 0)}, unless it ended or is acknowledged by then.` }
  if (code === 'stopped' || code === 'none') return { code: 'stopped', text: `${channel} is not notified: ${stoppedBy(incident)}.` }
  const readyAt = member.openedAt + (rule?.group.waitMs ?? 0)
  return { code: 'groupWait', text: `${channel} is notified once the group is complete, at ${isoText(Math.max(readyAt, input.now))}.` }
}

const stoppedBy = ({ acknowledged }: Incident) => (acknowledged ? 'it was acknowledged before its step' : 'no step includes it')
