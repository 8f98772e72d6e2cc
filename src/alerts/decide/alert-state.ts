import { maxSingles, singlesMs } from './digest.ts'
import type { Delivery, Incident, Member, Notified } from './model.ts'

/** The alert state of an account: incidents that are open, ended recently or have pending notifications, and what channels know. */
export type AlertState = {
  readonly incidents: Map<string, Incident>
  /** By incident, then channel. */
  readonly notified: Map<string, Map<string, Notified>>
  /** Undelivered messages, by incident, then channel. */
  readonly inFlight: Map<string, Map<string, Delivery>>
  /** Ids of messages that are held because their subjects are quiet. */
  readonly held: Set<string>
  /** All incidents in memory, by `subjectKey`. */
  readonly ofSubject: Map<string, Set<string>>
  /** The newest incident, by `subjectKey`. */
  readonly bySubject: Map<string, string>
  /** Open incidents, by `groupKey`. */
  readonly byGroup: Map<string, string>
  /** Incidents with an open member, by the id of its check. */
  readonly byCheck: Map<string, Set<string>>
  /** When incidents opened within about the last minute, by rule. */
  readonly openedLately: Map<string, number[]>
  /** Locations with an open incident. */
  readonly storms: Set<string>
  /** When the last storm of a location ended. */
  readonly endedStorms: Map<string, number>
  /** Timers: when a check or an incident must be decided again, even without a new event. */
  readonly dueChecks: Map<string, number>
  readonly dueIncidents: Map<string, number>
}

/** The part that is kept on disk. */
export type StoredAlerts = {
  readonly incidents: readonly Incident[]
  readonly notified: readonly Notified[]
  readonly inFlight: readonly Delivery[]
}

export type Decision = {
  /** New or changed incidents. */
  readonly incidents: readonly Incident[]
  readonly notified: readonly Notified[]
  /** New messages. */
  readonly deliveries: readonly Delivery[]
  /** Messages that are no longer sent. */
  readonly superseded: readonly Delivery[]
  /** Whether undelivered messages are held, by their ids. */
  readonly held: ReadonlyMap<string, boolean>
  /** New timers of these checks and incidents; null for none. */
  readonly dueChecks: ReadonlyMap<string, number | null>
  readonly dueIncidents: ReadonlyMap<string, number | null>
  /** Incidents that are over and reported, so memory need not keep them. */
  readonly finished: readonly string[]
  /** Whether more is due than this decision covers. */
  readonly isPartial: boolean
}

/** The condition is part of the key: a rule may change its condition, and a location may have the name of a check. */
export const subjectKey = ({ rule, condition }: Pick<Incident, 'rule' | 'condition'>, subject: string) =>
  `${rule}\0${condition}\0${subject}`

/** An incident of a location belongs to all rules. */
export function groupKey({ condition, rule, key }: Pick<Incident, 'condition' | 'rule' | 'key'>): string {
  return `${condition}\0${condition === 'location' ? '' : rule}\0${key}`
}

export function loadAlertState({ incidents, notified, inFlight }: StoredAlerts): AlertState {
  const state: AlertState = {
    incidents: new Map(),
    notified: new Map(),
    inFlight: new Map(),
    held: new Set(),
    ofSubject: new Map(),
    bySubject: new Map(),
    byGroup: new Map(),
    byCheck: new Map(),
    openedLately: new Map(),
    storms: new Set(),
    endedStorms: new Map(),
    dueChecks: new Map(),
    dueIncidents: new Map(),
  }
  for (const incident of [...incidents].sort((a, b) => a.openedAt - b.openedAt)) putIncident(state, incident)
  for (const each of notified) putNotified(state, each)
  for (const delivery of inFlight) inner(state.inFlight, delivery.incident).set(delivery.channel, delivery)
  return state
}

/** Applies a decision to the state, once it is on disk. */
export function applyDecision(state: AlertState, decision: Decision): void {
  for (const incident of decision.incidents) putIncident(state, incident)
  for (const each of decision.notified) putNotified(state, each)
  for (const delivery of decision.superseded) endDelivery(state, delivery)
  for (const delivery of decision.deliveries) inner(state.inFlight, delivery.incident).set(delivery.channel, delivery)
  for (const [id, at] of decision.dueChecks) setDue(state.dueChecks, id, at)
  for (const [id, at] of decision.dueIncidents) setDue(state.dueIncidents, id, at)
  for (const [id, isHeld] of decision.held)
    if (isHeld) state.held.add(id)
    else state.held.delete(id)
  for (const delivery of decision.superseded) releaseLater(state, delivery)
  for (const id of decision.finished) forgetIncident(state, id)
}

/** When `decide` must be called again at the latest; null for never. */
export function nextDecisionAt({ dueChecks, dueIncidents }: AlertState): number | null {
  let next = Number.POSITIVE_INFINITY
  for (const at of dueChecks.values()) next = Math.min(next, at)
  for (const at of dueIncidents.values()) next = Math.min(next, at)
  return next === Number.POSITIVE_INFINITY ? null : next
}

/** What a channel knows after it confirmed a message. */
function confirm({ notifiedAfter }: Delivery, now: number): Notified {
  return { ...notifiedAfter, firstAt: notifiedAfter.firstAt ?? now, lastAt: now }
}

/** Records that a message was delivered; its incident is due for the next decision. */
export function applyDelivered(state: AlertState, delivery: Delivery, now: number): Notified {
  const notified = confirm(delivery, now)
  endDelivery(state, delivery)
  putNotified(state, notified)
  state.dueIncidents.set(delivery.incident, now)
  releaseLater(state, delivery)
  return notified
}

/** A message that was given up counts as delivered, so that the next change is sent. */
export const applyGivenUp = applyDelivered

/** Stops later steps and reminders. Idempotent. */
export function acknowledge(incident: Incident, by: string, now: number): Incident {
  return incident.acknowledged === null && incident.closedAt === null ? { ...incident, acknowledged: { at: now, by } } : incident
}

export const isOpen = ({ closedAt }: Pick<Member | Incident, 'closedAt'>) => closedAt === null

export function putIncident(state: AlertState, incident: Incident): void {
  if (!state.incidents.has(incident.id)) noteOpened(state, incident)
  state.incidents.set(incident.id, incident)
  for (const { subject, closedAt } of incident.members) {
    const key = subjectKey(incident, subject)
    state.ofSubject.set(key, (state.ofSubject.get(key) ?? new Set()).add(incident.id))
    const other = state.incidents.get(state.bySubject.get(key) ?? '')
    if (closedAt === null || !other || other.openedAt <= incident.openedAt) state.bySubject.set(key, incident.id)
  }
  const group = groupKey(incident)
  if (isOpen(incident)) state.byGroup.set(group, incident.id)
  else if (state.byGroup.get(group) === incident.id) state.byGroup.delete(group)
  if (incident.condition === 'location') indexStorm(state, incident)
  indexChecks(state, incident)
}

function noteOpened({ openedLately }: AlertState, { rule, openedAt }: Incident): void {
  const recent = (openedLately.get(rule) ?? []).filter((at) => at > openedAt - singlesMs && at <= openedAt)
  openedLately.set(rule, [...recent, openedAt].slice(-maxSingles))
}

function indexStorm({ storms, endedStorms }: AlertState, { key, closedAt }: Incident): void {
  if (closedAt === null) storms.add(key)
  else if (storms.delete(key)) endedStorms.set(key, closedAt)
}

function indexChecks({ byCheck }: AlertState, { id, members }: Incident): void {
  const open = new Set(members.filter(isOpen).flatMap(({ checkId }) => checkId ?? []))
  for (const checkId of new Set(members.flatMap((member) => member.checkId ?? []))) {
    if (open.has(checkId)) byCheck.set(checkId, (byCheck.get(checkId) ?? new Set()).add(id))
    else if (byCheck.get(checkId)?.delete(id) && byCheck.get(checkId)?.size === 0) byCheck.delete(checkId)
  }
}

function putNotified(state: AlertState, notified: Notified): void {
  inner(state.notified, notified.incident).set(notified.channel, notified)
}

function endDelivery({ inFlight, held }: AlertState, { incident, channel, message }: Delivery): void {
  held.delete(message.id)
  const current = inFlight.get(incident)
  if (current?.get(channel)?.message.id !== message.id) return
  current.delete(channel)
  if (current.size === 0) inFlight.delete(incident)
}

/** Later incidents of the same subjects wait for this message: they are due for the next decision. */
function releaseLater(state: AlertState, { incident }: Delivery): void {
  const known = state.incidents.get(incident)
  if (!known) return
  for (const { subject } of known.members)
    for (const id of state.ofSubject.get(subjectKey(known, subject)) ?? []) if (id !== incident) state.dueIncidents.set(id, 0)
}

function forgetIncident(state: AlertState, id: string): void {
  const incident = state.incidents.get(id)
  if (incident) for (const { subject } of incident.members) forgetSubject(state, id, subjectKey(incident, subject))
  for (const map of [state.incidents, state.notified, state.inFlight, state.dueIncidents]) map.delete(id)
}

function forgetSubject({ ofSubject, bySubject }: AlertState, incident: string, key: string): void {
  const all = ofSubject.get(key)
  if (all?.delete(incident) && all.size === 0) ofSubject.delete(key)
  if (bySubject.get(key) === incident) bySubject.delete(key)
}

function setDue(dues: Map<string, number>, id: string, at: number | null): void {
  if (at === null) dues.delete(id)
  else dues.set(id, at)
}

function inner<Value>(outer: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const found = outer.get(key) ?? new Map<string, Value>()
  outer.set(key, found)
  return found
}
