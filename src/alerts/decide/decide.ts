import type { Check } from '../../catalogue/catalogue.ts'
import type { AlertRule } from '../../catalogue/policies/policies.ts'
import { type AlertState, type Decision, isOpen } from './alert-state.ts'
import { compareIncident, earliest, sceneOf } from './compare.ts'
import { createDraft, type Draft } from './draft.ts'
import type { DecideInput } from './input.ts'
import { applyReading, endMember, endMembers, type Turn } from './members.ts'
import type { Incident, Member } from './model.ts'
import type { AlertPlan } from './plan.ts'
import { silentFindings } from './silent.ts'
import { updateStorms } from './storm.ts'
import { burnFindings, findingsOf, type SubjectFinding, subjectsOf } from './subjects.ts'

/**
 * Decides which messages to send, by comparing the current facts with the last notification of each channel. Pure: once the decision is on
 * disk, `applyDecision` applies it to the state.
 */
export function decide(state: AlertState, input: DecideInput): Decision {
  const draft = withAccount(createDraft(state), input.plan.account.id)
  const turn: Turn = { draft, now: input.now, newId: input.newId }
  const checks = checksToRead(state, input, draft)
  for (const id of checks) readCheck(turn, state, input, id)
  readRules(turn, state, input, checks)
  const stormed = updateStorms(turn, input, locationsOf(state, input, checks))
  const ids = incidentsToCompare(state, input, draft, { checks, everything: stormed || input.changed === 'all' })
  const due = inOrder([...ids].flatMap((id) => draft.incident(id) ?? []))
  const count = howMany(due, input.limit)
  for (const { id } of due.slice(0, count)) compare(turn, state, input, id)
  for (const { id } of due.slice(count)) draft.dueIncident(id, input.now)
  if (count < due.length) draft.leaveRest()
  return draft.decision()
}

/** How many incidents fit into `limit` members in total; at least one. */
function howMany(incidents: readonly Incident[], limit = Number.POSITIVE_INFINITY): number {
  let members = 0
  const over = incidents.findIndex((incident) => {
    members += incident.members.length
    return members > limit
  })
  return over < 0 ? incidents.length : Math.max(1, over)
}

function compare(turn: Turn, state: AlertState, input: DecideInput, id: string): void {
  const { draft } = turn
  const known = draft.incident(id)
  if (known) endRemoved(turn, input, known)
  const incident = draft.incident(id)
  if (!incident) return
  const at = compareIncident(sceneOf(input, state, draft, incident))
  // Must not be due at once: it would come first again, and starve the others.
  draft.dueIncident(id, at !== null && input.limit !== undefined ? Math.max(at, input.now + 1) : at)
}

/** Makes everything due, for example after a change of the config file. It is then decided in batches. */
export function makeAllDue(state: AlertState, { checks, rules }: AlertPlan): void {
  for (const id of [...checks.keys(), ...state.byCheck.keys()]) state.dueChecks.set(id, 0)
  makeSilenceDue(state, { rules })
  makeDue(state, state.incidents.keys())
}

/** Makes rules about silence due, for example when an agent has reported. */
export function makeSilenceDue(state: AlertState, { rules }: Pick<AlertPlan, 'rules'>): void {
  for (const { id, when } of rules.values()) if (when.kind === 'silent') state.dueChecks.set(ruleDue(id), 0)
}

export function makeDue(state: AlertState, incidents: Iterable<string>): void {
  for (const id of incidents) if (state.incidents.has(id)) state.dueIncidents.set(id, 0)
}

/** Closed incidents come first, so that recoveries are sent before later failures. */
function inOrder(incidents: readonly Incident[]): readonly Incident[] {
  return incidents.toSorted((a, b) => Number(isOpen(a)) - Number(isOpen(b)) || a.openedAt - b.openedAt)
}

function withAccount(draft: Draft, account: string): Draft {
  const { put } = draft
  return Object.assign(draft, {
    put: (incident: Incident, changed?: readonly Member[]) =>
      put.call(draft, incident.account === account ? incident : { ...incident, account }, changed),
  })
}

function checksToRead(state: AlertState, { changed, plan, now, limit }: DecideInput, draft: Draft): ReadonlySet<string> {
  if (changed === 'all') return new Set([...plan.checks.keys(), ...state.byCheck.keys()])
  const due = [...state.dueChecks].filter(([id, at]) => at <= now && !isRuleDue(id)).map(([id]) => id)
  if (limit !== undefined && due.length > limit) draft.leaveRest()
  return due.length === 0 ? changed.checks : new Set([...changed.checks, ...due.slice(0, limit)])
}

/** Rules that are not about single checks are due under a key that no check id can have. */
const ruleDue = (rule: string) => `\0${rule}`
const isRuleDue = (id: string) => id.startsWith('\0')

function readCheck(turn: Turn, state: AlertState, { plan, facts, now }: DecideInput, id: string): void {
  const check = plan.checks.get(id)
  endUnselected(turn, state, { id, check, rules: plan.rulesOf.get(id) ?? [] })
  if (state.dueChecks.has(id)) turn.draft.dueCheck(id, null)
  const found = check?.activated ? facts.check(id) : null
  if (!check || !found) return
  const due = (plan.rulesOf.get(id) ?? []).flatMap((rule) =>
    findingsOf(rule, check, found, now).map(({ subject, reading }) => applyReading(turn, rule, subject, reading)),
  )
  const next = earliest(due)
  if (next !== null) turn.draft.dueCheck(id, next)
}

type Selected = { readonly id: string; readonly check: Check | undefined; readonly rules: readonly AlertRule[] }

/** Ends members whose check is paused or gone, or no longer selected by their rule, as a removed threshold is. */
function endUnselected(turn: Turn, state: AlertState, { id, check, rules }: Selected): void {
  for (const incidentId of state.byCheck.get(id) ?? []) {
    const incident = turn.draft.incident(incidentId)
    if (!incident) continue
    const rule = check?.activated ? rules.find((each) => each.id === incident.rule) : undefined
    const selected = rule && check ? subjectsOf(rule, check) : []
    const isPaused = check !== undefined && !check.activated
    for (const member of incident.members)
      if (member.checkId === id && isOpen(member) && !selected.includes(member.subject))
        endMember(turn, incident, member, isPaused ? 'paused' : 'removed')
  }
}

/** Ends an incident whose rule is gone, or has another condition now. */
function endRemoved(turn: Turn, { plan }: DecideInput, incident: Incident): void {
  const when = plan.rules.get(incident.rule)?.when
  if (incident.condition === 'location' || when?.kind === incident.condition) return
  endMembers(turn, incident, incident.members.filter(isOpen), 'removed')
}

function readRules(turn: Turn, state: AlertState, input: DecideInput, checks: ReadonlySet<string>): void {
  for (const rule of input.plan.rules.values()) {
    if (rule.when.kind === 'silent' && isRuleToRead(state, input, rule, checks)) readSilentRule(turn, input, rule)
    if (rule.when.kind === 'sloBurn' && (input.burnChanged || input.changed === 'all')) {
      const findings = burnFindings(rule, input)
      for (const { subject, reading } of findings) applyReading(turn, rule, subject, reading)
      endOthers(turn, rule, findings)
    }
  }
}

/** Results alone cannot open incidents of this rule: a clear condition is read again when it is due. */
function isRuleToRead(state: AlertState, { changed, now, plan }: DecideInput, rule: AlertRule, checks: ReadonlySet<string>): boolean {
  if (changed === 'all' || (state.dueChecks.get(ruleDue(rule.id)) ?? Number.POSITIVE_INFINITY) <= now) return true
  const hasOpen = () => [...state.incidents.values()].some((incident) => incident.rule === rule.id && isOpen(incident))
  return hasOpen() && [...checks].some((id) => plan.rulesOf.get(id)?.includes(rule))
}

function readSilentRule(turn: Turn, input: DecideInput, rule: AlertRule): void {
  const findings = silentFindings(rule, input)
  const due = findings.map(({ subject, reading, at }) => earliest([applyReading(turn, rule, subject, reading), at]))
  endOthers(turn, rule, findings)
  turn.draft.dueCheck(ruleDue(rule.id), earliest(due))
}

/** Ends the members of a rule that it no longer has findings about. */
function endOthers(turn: Turn, { id, when }: AlertRule, findings: readonly SubjectFinding[]): void {
  const known = new Set(findings.map(({ subject }) => subject.subject))
  for (const incident of [...turn.draft.openIncidents()]) {
    if (incident.rule !== id || incident.condition !== when.kind) continue
    const isGone = (member: Member) => isOpen(member) && !known.has(member.subject)
    endMembers(turn, incident, incident.members.filter(isGone), 'removed')
  }
}

/** Locations where a storm may begin or end. */
function locationsOf(state: AlertState, { plan, facts, unreachable }: DecideInput, checks: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set([...unreachable.keys(), ...state.storms])
  for (const id of checks) for (const name of facts.check(id)?.downLocations ?? []) found.add(name)
  return new Set([...found].filter((name) => plan.rulesByLocation.has(name) || state.storms.has(name)))
}

type Scope = { readonly checks: ReadonlySet<string>; readonly everything: boolean }

function incidentsToCompare(state: AlertState, input: DecideInput, draft: Draft, { checks, everything }: Scope): ReadonlySet<string> {
  const ids = new Set(Array.from(draft.changed(), ({ id }) => id))
  if (everything) for (const id of state.incidents.keys()) ids.add(id)
  if (input.changed !== 'all') for (const id of input.changed.incidents) ids.add(id)
  for (const [id, at] of state.dueIncidents) if (at <= input.now) ids.add(id)
  for (const checkId of checks) {
    for (const each of [checkId, ...(input.plan.dependents.get(checkId) ?? [])]) for (const id of state.byCheck.get(each) ?? []) ids.add(id)
  }
  return ids
}
