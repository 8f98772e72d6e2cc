import { capitalized } from '../../../text/capitalized.ts'
import { isoText, minuteMs } from '../../../time.ts'
import { oneLine, plainFormat } from '../fit.ts'
import type { AlertMessage, MessageSubject } from '../message.ts'
import { bodyText, isOver, messageText } from '../text.ts'

/** Alertmanager resolves an alert that is not sent again within this time. */
const lifetimeMs = 5 * minuteMs
const maxLabelLength = 200
const maxTextLength = 4000

type PostedAlert = {
  /** They identify the alert, so they are the same in every message about a subject. */
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL?: string
}

/** One alert per subject, or one for the message itself if it has none. */
export function postedAlerts(message: AlertMessage, labels: Readonly<Record<string, string>>, now: number): readonly PostedAlert[] {
  const common = {
    ...labels,
    alertname: `Tidemark${capitalized(message.event === 'test' ? 'test' : message.condition)}`,
    account: message.account.id,
    rule: message.rule,
    severity: message.severity,
  }
  if (message.subjects.length === 0) return [alertOf(message, null, common, now)]
  return message.subjects.map((subject) => alertOf(message, subject, { ...common, ...subjectLabels(subject) }, now))
}

function alertOf(message: AlertMessage, subject: MessageSubject | null, labels: PostedAlert['labels'], now: number): PostedAlert {
  const text = messageText(subject === null ? message : { ...message, subjects: [subject], subjectCount: 1 })
  const startsAt = subject?.since ?? message.incident.openedAt
  const urls = Object.fromEntries(text.links.map(({ label, url }) => [label.toLowerCase(), url]))
  const { check, alert, ...others } = urls
  const generatorURL = check ?? alert
  return {
    labels: Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== '')),
    annotations: {
      summary: text.title,
      description: bodyText({ ...text, links: [] }, plainFormat, maxTextLength),
      ...others,
    },
    startsAt: isoText(startsAt),
    endsAt: isoText(Math.max(startsAt, endOf(message, subject) ?? now + lifetimeMs)),
    ...(generatorURL !== undefined && { generatorURL }),
  }
}

function endOf(message: AlertMessage, subject: MessageSubject | null): number | null {
  return subject?.until ?? (isOver(message) ? (message.incident.closedAt ?? message.decidedAt) : null)
}

function subjectLabels({ name, check }: MessageSubject): Readonly<Record<string, string>> {
  return {
    name: oneLine(name, maxLabelLength),
    check: check?.id ?? '',
    check_type: check?.type ?? '',
    // Commas around each tag let a matcher select a single one.
    tags: check && check.tags.length > 0 ? `,${oneLine(check.tags.join(','), 1000)},` : '',
  }
}
