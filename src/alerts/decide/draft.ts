import { type AlertState, type Decision, groupKey, isOpen, subjectKey } from './alert-state.ts'
import { singlesMs } from './digest.ts'
import type { Delivery, Incident, Member, Notified } from './model.ts'

/** A copy-on-write view of the state, from which a decision is built. */
export type Draft = {
  incident(id: string): Incident | undefined
  /** The newest incident of a rule and condition with this subject. */
  ofSubject(of: Pick<Incident, 'rule' | 'condition'>, subject: string): Incident | undefined
  /** The open incident of this group. */
  ofGroup(group: Pick<Incident, 'condition' | 'rule' | 'key'>): Incident | undefined
  /** When the last storm of a location ended. */
  endedStorm(location: string): number | undefined
  /** How many incidents of a rule began within the last minute. */
  openedLately(rule: string, now: number): number
  /** `changed`: the members that are new or changed; absent for all. */
  put(incident: Incident, changed?: readonly Member[]): void
  openIncidents(): Iterable<Incident>
  notified(incident: string, channel: string): Notified | undefined
  putNotified(notified: Notified): void
  send(delivery: Delivery): void
  supersede(delivery: Delivery): void
  /** Whether this decision sends a message about an incident to a channel. */
  sends(incident: string, channel: string): boolean
  hold(delivery: Delivery, isHeld: boolean): void
  dueCheck(id: string, at: number | null): void
  dueIncident(id: string, at: number | null): void
  finish(id: string): void
  /** The current versions of incidents that were put. */
  changed(): Iterable<Incident>
  /** Records that more is due than this decision covers. */
  leaveRest(): void
  decision(): Decision
}

const notifiedKey = (incident: string, channel: string) => `${incident}\0${channel}`

export function createDraft(state: AlertState): Draft {
  const incidents = new Map<string, Incident>()
  const bySubject = new Map<string, string>()
  const byGroup = new Map<string, string>()
  /** New incidents by rule. */
  const opened = new Map<string, number>()
  const notified = new Map<string, Notified>()
  const deliveries: Delivery[] = []
  const superseded: Delivery[] = []
  const sent = new Set<string>()
  const held = new Map<string, boolean>()
  const dueChecks = new Map<string, number | null>()
  const dueIncidents = new Map<string, number | null>()
  const finished: string[] = []
  let isPartial = false
  const incident = (id: string) => incidents.get(id) ?? state.incidents.get(id)

  return {
    incident,
    ofSubject(of, subject) {
      const key = subjectKey(of, subject)
      return incident(bySubject.get(key) ?? state.bySubject.get(key) ?? '')
    },
    ofGroup(group) {
      const key = groupKey(group)
      const found = incident(byGroup.get(key) ?? state.byGroup.get(key) ?? '')
      return found && isOpen(found) ? found : undefined
    },
    endedStorm(location) {
      const last = incidents.get(byGroup.get(groupKey({ condition: 'location', rule: '', key: location })) ?? '')
      return last?.closedAt ?? state.endedStorms.get(location)
    },
    openedLately(rule, now) {
      const before = (state.openedLately.get(rule) ?? []).filter((at) => at > now - singlesMs && at <= now).length
      return before + (opened.get(rule) ?? 0)
    },
    put(next, changed = next.members) {
      if (!incident(next.id)) opened.set(next.rule, (opened.get(next.rule) ?? 0) + 1)
      incidents.set(next.id, next)
      for (const { subject } of changed) {
        const other = this.ofSubject(next, subject)
        if (!other || other.openedAt <= next.openedAt) bySubject.set(subjectKey(next, subject), next.id)
      }
      byGroup.set(groupKey(next), next.id)
    },
    *openIncidents() {
      for (const id of new Set([...state.incidents.keys(), ...incidents.keys()])) {
        const found = incident(id)
        if (found && isOpen(found)) yield found
      }
    },
    notified: (id, channel) => notified.get(notifiedKey(id, channel)) ?? state.notified.get(id)?.get(channel),
    putNotified: (each) => void notified.set(notifiedKey(each.incident, each.channel), each),
    send(delivery) {
      deliveries.push(delivery)
      sent.add(notifiedKey(delivery.incident, delivery.channel))
    },
    sends: (id, channel) => sent.has(notifiedKey(id, channel)),
    hold({ message: { id } }, isHeld) {
      if (isHeld !== state.held.has(id)) held.set(id, isHeld)
    },
    supersede: (delivery) => void superseded.push(delivery),
    dueCheck: (id, at) => void dueChecks.set(id, at),
    dueIncident: (id, at) => void dueIncidents.set(id, at),
    finish: (id) => void finished.push(id),
    changed: () => incidents.values(),
    leaveRest() {
      isPartial = true
    },
    decision: () => ({
      incidents: [...incidents.values()],
      notified: [...notified.values()],
      deliveries,
      superseded,
      held,
      dueChecks,
      dueIncidents,
      finished,
      isPartial,
    }),
  }
}
