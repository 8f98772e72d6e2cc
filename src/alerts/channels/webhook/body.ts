import { isoText } from '../../../time.ts'
import { oneLine } from '../fit.ts'
import type { AlertMessage, MessageSubject } from '../message.ts'

/** The limit that the Standard Webhooks specification recommends. */
const maxBytes = 20_000
const maxTextLength = 1000
const maxNames = 50

/** The body of Standard Webhooks, with as many subjects as fit. */
export function webhookBody(message: AlertMessage): string {
  for (let count = message.subjects.length; count > 0; count--) {
    const body = bodyWith(message, count)
    if (Buffer.byteLength(body) <= maxBytes) return body
  }
  return bodyWith(message, 0)
}

function bodyWith(message: AlertMessage, subjectCount: number): string {
  const { event, condition, severity, account, rule, incident, reminder, decidedAt, links } = message
  return JSON.stringify({
    type: `alert.${event}`,
    timestamp: isoText(decidedAt),
    data: {
      title: short(message.title),
      condition,
      severity,
      account: { id: account.id, name: short(account.name) },
      rule,
      incident: { id: incident.id, openedAt: isoText(incident.openedAt), closedAt: isoOrNull(incident.closedAt) },
      reminder,
      subjects: message.subjects.slice(0, subjectCount).map(subjectData),
      subjectCount: message.subjectCount,
      links,
    },
  })
}

function subjectData({ name, check, isNew, since, until, reason, locations, result, certificateDays, links, ...more }: MessageSubject) {
  const { dependents, dependentCount = dependents.length } = more
  return {
    name: short(name),
    check: check && { id: check.id, type: check.type, tags: check.tags.slice(0, maxNames).map(short) },
    isNew,
    since: isoText(since),
    until: isoOrNull(until),
    reason: reason === null ? null : short(reason),
    locations: locations && { down: locations.down.slice(0, maxNames).map(short), known: locations.known },
    result: result && { ...result, startedAt: isoText(result.startedAt) },
    certificateDays,
    dependents: dependents.slice(0, maxNames).map(short),
    dependentCount,
    links,
  }
}

const short = (text: string) => oneLine(text, maxTextLength)
const isoOrNull = (time: number | null) => (time === null ? null : isoText(time))
