import type { Incident, Member } from '../../alerts/decide/model.ts'
import type { AlertServiceEvent } from '../../alerts/loop/alert-service.ts'
import { isAboutChannel } from '../../alerts/loop/channel-notice.ts'
import type { DeliveryAttempt } from '../../alerts/outbox/alert-records.ts'
import { isoText } from '../../time.ts'
import { alertSummary } from '../output/alert-entry.ts'

/** An alert event, serialized lazily. */
export type LiveAlert = {
  readonly name: 'alert' | 'delivery'
  readonly checkIds: readonly string[]
  /** Estimated memory use. */
  readonly bytes: number
  data(): string
}

/** Bounds the memory of an event: an alert may have thousands of members. */
const keptMembers = 20

export function liveAlert(event: AlertServiceEvent): LiveAlert {
  return event.kind === 'incident' ? incidentEvent(event) : attemptEvent(event.attempt)
}

function incidentEvent({ incident, change }: Extract<AlertServiceEvent, { readonly kind: 'incident' }>): LiveAlert {
  const memberCount = incident.members.length
  const kept: Incident = { ...incident, members: listedFirst(incident.members, keptMembers) }
  const checkIds = idsOf(incident.members.map(({ checkId }) => checkId))
  return {
    name: 'alert',
    checkIds,
    bytes: 500 + 8 * checkIds.length + kept.members.reduce((sum, member) => sum + memberBytes(member), 0),
    data: () => JSON.stringify({ change, alert: alertSummary(kept, memberCount) }),
  }
}

/** Open members come first. */
function listedFirst(members: readonly Member[], max: number): readonly Member[] {
  const open = members.filter(({ closedAt }) => closedAt === null)
  return [...open, ...members.filter(({ closedAt }) => closedAt !== null)].slice(0, max)
}

const memberBytes = ({ name, reason, locations }: Member) => 400 + name.length + (reason?.length ?? 0) + 20 * (locations?.down.length ?? 0)

function attemptEvent(attempt: DeliveryAttempt): LiveAlert {
  const checkIds = idsOf(attempt.delivery.message.subjects.map(({ check }) => check?.id ?? null))
  const entry = attemptEntry(attempt)
  return { name: 'delivery', checkIds, bytes: 500 + entry.title.length + entry.answer.length, data: () => JSON.stringify(entry) }
}

const idsOf = (ids: readonly (string | null)[]) => [...new Set(ids.filter((id) => id !== null))]

function attemptEntry({ delivery, at, outcome, answer, nextAt }: DeliveryAttempt) {
  const { message, channel, incident } = delivery
  return {
    /** The id of the message: the same for each attempt. */
    id: message.id,
    alertId: isAboutChannel(delivery) ? null : incident,
    channel,
    event: message.event,
    title: message.title,
    at: isoText(at),
    outcome,
    answer,
    nextAt: nextAt === null ? null : isoText(nextAt),
  }
}
