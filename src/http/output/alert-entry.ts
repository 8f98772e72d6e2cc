import type { Incident, Member, Notified, Silence } from '../../alerts/decide/model.ts'
import { titleOf } from '../../alerts/decide/titles.ts'
import type { DeliverySummary, IncidentRecord } from '../../alerts/outbox/alert-records.ts'
import { isoText } from '../../time.ts'

export function alertEntry(record: IncidentRecord) {
  const { incident, memberCount, notified, deliveries } = record
  return {
    ...alertSummary(incident, memberCount, incidentTitle(record)),
    channels: notified.map(channelEntry),
    messages: deliveries.map(messageEntry),
  }
}

/** An incident without its notifications. */
export function alertSummary(incident: Incident, memberCount: number, title = plainTitle(incident)) {
  const { id, rule, condition, severity, openedAt, closedAt, acknowledged, members } = incident
  return {
    id,
    title,
    rule,
    condition,
    severity,
    openedAt: isoText(openedAt),
    closedAt: isoOrNull(closedAt),
    acknowledged: acknowledged && { at: isoText(acknowledged.at), by: acknowledged.by },
    memberCount,
    members: members.map(memberEntry),
  }
}

/** The title as in messages to channels, even if they were not sent. */
export function incidentTitle({ incident, deliveries }: Pick<IncidentRecord, 'incident' | 'deliveries'>): string {
  const notified = deliveries.find(({ event }) => event === 'open' || event === 'update' || event === 'close' || event === 'missed')
  return notified?.title ?? plainTitle(incident)
}

function plainTitle({ condition, members, openedAt, closedAt }: Incident): string {
  const open = members.filter((member) => member.closedAt === null)
  const about = open.length > 0 ? open : members
  const event = closedAt === null ? 'open' : 'close'
  const notified = { fresh: new Set<string>(), open: open.length, openSince: openedAt }
  return titleOf({ event, condition, members: about, ...notified, group: null, storm: null, now: closedAt ?? openedAt })
}

function memberEntry(member: Member) {
  const { subject, checkId, name, since, openedAt, until, closedAt, endedBy, reason, locations, result, certificateDays } = member
  return {
    subject,
    checkId,
    name,
    since: isoText(since),
    openedAt: isoText(openedAt),
    until: isoOrNull(until),
    closedAt: isoOrNull(closedAt),
    endedBy,
    reason,
    locations,
    resultId: result?.id ?? null,
    certificateDays,
    isFlapping: member.flappingSince !== null,
  }
}

function channelEntry({ channel, firstAt, lastAt, open, reminders, dropped }: Notified) {
  return { channel, firstAt: isoOrNull(firstAt), lastAt: isoOrNull(lastAt), open: open.length, reminders, dropped }
}

function messageEntry({ id, channel, event, title, decidedAt, state, attempts, lastAt, answer, nextAt }: DeliverySummary) {
  const times = { lastAt: isoOrNull(lastAt), answer, nextAt: isoOrNull(nextAt) }
  return { id, channel, event, title, decidedAt: isoText(decidedAt), state, attempts, ...times }
}

export function silenceEntry({ id, checks, tags, from, to, by, comment }: Silence) {
  return { id, checks, tags, from: isoText(from), to: isoText(to), by, comment }
}

const isoOrNull = (instant: number | null) => (instant === null ? null : isoText(instant))
