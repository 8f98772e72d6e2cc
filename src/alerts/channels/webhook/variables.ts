import { isoText } from '../../../time.ts'
import { oneLine } from '../fit.ts'
import type { AlertMessage, MessageSubject } from '../message.ts'
import { isOver } from '../text.ts'

const maxTextLength = 2000
const maxItems = 50
const maxNameLength = 200

/** The variables of a template, by the names that existing templates use. */
export function templateVariables(message: AlertMessage): Readonly<Record<string, unknown>> {
  const [subject] = message.subjects
  const tags = (subject?.check?.tags ?? []).slice(0, maxItems).map(nameText)
  const location = subject?.result?.runLocation ?? subject?.locations?.down[0] ?? ''
  return {
    ALERT_TITLE: text(message.title),
    ALERT_TYPE: alertTypeOf(message),
    CHECK_ID: subject?.check?.id ?? '',
    CHECK_NAME: text(subject?.name ?? ''),
    CHECK_DESCRIPTION: '',
    CHECK_TYPE: subject?.check?.type ?? '',
    CHECK_ERROR_MESSAGE: text(subject?.reason ?? ''),
    CHECK_RESULT_ID: subject?.result?.id ?? '',
    RESULT_LINK: subject?.links.run ?? subject?.links.check ?? message.links.incident ?? '',
    RESPONSE_TIME: subject?.result?.responseTimeMs ?? '',
    STARTED_AT: isoText(subject?.result?.startedAt ?? subject?.since ?? message.incident.openedAt),
    REGION: text(location),
    RUN_LOCATION: text(location),
    GROUP_NAME: tags[0] ?? '',
    TAGS: tags,
    IS_REMINDER: message.event === 'reminder',
    REMINDER_SEQUENCE: message.reminder ?? 0,
    API_CHECK_RESPONSE_STATUS_CODE: subject?.result?.statusCode ?? '',
    API_CHECK_RESPONSE_STATUS_TEXT: '',
    SSL_CHECK_DOMAIN: '',
    SSL_DAYS_REMAINING: subject?.certificateDays ?? '',
    EVENT: message.event,
    CONDITION: message.condition,
    SEVERITY: message.severity,
    ACCOUNT_NAME: text(message.account.name),
    RULE: message.rule,
    INCIDENT_ID: message.incident.id,
    MESSAGE_ID: message.id,
    ALERT_LINK: message.links.incident ?? '',
    ACKNOWLEDGE_LINK: message.links.acknowledge ?? '',
    SUBJECT_COUNT: message.subjectCount,
    SUBJECTS: message.subjects.map(subjectVariables),
  }
}

function subjectVariables(subject: MessageSubject): Readonly<Record<string, unknown>> {
  return {
    NAME: text(subject.name),
    CHECK_ID: subject.check?.id ?? '',
    IS_NEW: subject.isNew,
    SINCE: isoText(subject.since),
    UNTIL: subject.until === null ? '' : isoText(subject.until),
    REASON: text(subject.reason ?? ''),
    LOCATIONS: (subject.locations?.down ?? []).slice(0, maxItems).map(nameText),
    LINK: subject.links.run ?? subject.links.check ?? '',
  }
}

const text = (value: string) => oneLine(value, maxTextLength)
const nameText = (value: string) => oneLine(value, maxNameLength)

/** The message as a value of `alertType`. */
export function alertTypeOf(message: Pick<AlertMessage, 'event' | 'condition' | 'incident' | 'subjects'>): string {
  const { event, condition } = message
  if (event === 'test') return 'NO_ALERT'
  if (condition === 'certificate') return 'ALERT_SSL'
  const kind = condition === 'degraded' ? 'ALERT_DEGRADED' : 'ALERT_FAILURE'
  if (isOver(message)) return condition === 'degraded' ? 'ALERT_DEGRADED_RECOVERY' : 'ALERT_RECOVERY'
  return event === 'reminder' ? `${kind}_REMAIN` : kind
}
