import { alertConditions, alertEvents, severities } from '../../alerts/channels/message.ts'
import { deliveryStates } from '../../alerts/outbox/alert-records.ts'
import { alertTypes, notificationStatuses } from '../output/check-alert.ts'
import {
  anyString,
  decimal,
  decimalOrNull,
  nullable,
  objectOf,
  paginationSchema,
  stringOrNull,
  strings,
  time,
  timeOrNull,
  whole,
  yesNo,
} from './schema-parts.ts'

export const alertChannelSchema = objectOf({
  id: { type: 'integer', description: 'Of one of the config file, derived from the account and channelId.' },
  channelId: { type: 'string', description: 'Its id in the config file, or the id of a managed one in alerts.' },
  name: anyString,
  channelType: { type: 'string', description: 'Its type in the config file.' },
  type: { enum: ['EMAIL', 'SLACK', 'WEBHOOK', 'PAGERDUTY'] },
  config: {
    type: 'object',
    description: 'Its settings, with secrets redacted. A key that wrote all secrets of a managed channel reads them.',
    additionalProperties: true,
  },
  subscriptions: {
    type: 'array',
    description: 'The first 1,000 checks that are subscribed to a managed channel.',
    items: objectOf({ checkId: anyString, groupId: { type: 'null' }, activated: yesNo }),
  },
  sendRecovery: { type: 'boolean', description: 'Whether any rule uses it.' },
  sendFailure: { type: 'boolean', description: 'Whether a rule of failing, sloBurn or silent uses it.' },
  sendDegraded: { type: 'boolean', description: 'Whether a rule of degraded uses it.' },
  sslExpiry: { type: 'boolean', description: 'Whether a rule of certificate uses it.' },
  sslExpiryThreshold: { type: 'integer', minimum: 1, maximum: 30 },
  autoSubscribe: { type: 'boolean', description: 'Whether a rule for all checks uses it.' },
  created_at: { type: ['string', 'null'], description: 'Null for one of the config file.' },
  updated_at: stringOrNull,
  health: {
    oneOf: [
      objectOf({
        state: { enum: ['ok', 'failing', 'broken'] },
        since: time,
        lastAt: time,
        answer: anyString,
      }),
      { type: 'null' },
    ],
    description: 'Outcome of the last message; null if none was sent since the server started, or if it sends no alerts.',
  },
})

export const alertMemberSchema = objectOf({
  subject: { ...anyString, description: 'Unique within the alert.' },
  checkId: { ...stringOrNull, description: 'Null if it is not a check.' },
  name: anyString,
  since: { ...time, description: 'When the state began.' },
  openedAt: { ...time, description: 'When it had lasted long enough to alert.' },
  until: { ...timeOrNull, description: 'When the state ended; null while it lasts.' },
  closedAt: timeOrNull,
  endedBy: { enum: ['recovered', 'paused', 'removed', null] },
  reason: { ...stringOrNull, description: 'The first failing assertion, or the error.' },
  locations: nullable(objectOf({ down: strings, known: whole })),
  resultId: { ...stringOrNull, description: 'The result that the reason is of.' },
  certificateDays: { type: ['integer', 'null'] },
  isFlapping: yesNo,
})

export const alertMessageSchema = objectOf({
  id: { ...anyString, description: 'The same for every attempt.' },
  channel: anyString,
  event: { enum: alertEvents },
  title: anyString,
  decidedAt: time,
  state: { enum: deliveryStates },
  attempts: whole,
  lastAt: timeOrNull,
  answer: { ...stringOrNull, description: 'Last response of the channel.' },
  nextAt: { ...timeOrNull, description: 'Time of the next attempt; null if there is none.' },
})

export const alertSchema = objectOf({
  id: anyString,
  title: anyString,
  rule: { ...anyString, description: 'The id of the rule in the config file.' },
  condition: { enum: alertConditions },
  severity: { enum: severities },
  openedAt: time,
  closedAt: { ...timeOrNull, description: 'Null while it is open.' },
  acknowledged: nullable(objectOf({ at: time, by: anyString })),
  memberCount: whole,
  members: { type: 'array', items: alertMemberSchema, description: 'Open ones first; in a list at most 20, else at most 1,000.' },
  channels: {
    type: 'array',
    description: 'What each channel was notified of, by confirmed deliveries.',
    items: objectOf({
      channel: anyString,
      firstAt: { ...timeOrNull, description: 'Null if never notified.' },
      lastAt: timeOrNull,
      open: { ...whole, description: 'Number of members it was notified of as open.' },
      reminders: whole,
      dropped: { ...yesNo, description: 'Whether it is never notified, because its step was outside its hours.' },
    }),
  },
  messages: { type: 'array', items: alertMessageSchema, description: 'Newest first; in a list the last to each channel.' },
})

export const alertsSchema = objectOf({
  from: time,
  to: time,
  alerts: { type: 'array', items: alertSchema },
  pagination: paginationSchema,
})

const thresholdSchema = objectOf({
  runs: { type: ['integer', 'null'], description: 'Number of consecutive runs.' },
  seconds: { ...decimalOrNull, description: 'Instead of runs.' },
})

export const alertRuleSchema = objectOf({
  id: anyString,
  when: { enum: ['failing', 'degraded', 'silent', 'certificate', 'sloBurn'] },
  certificateDays: { type: 'array', items: whole },
  slos: { ...strings, description: 'Ids of SLOs; none for all of the selected checks.' },
  severity: { enum: severities },
  checks: { ...strings, description: 'Ids of checks; none for all.' },
  tags: strings,
  subscription: {
    type: ['integer', 'null'],
    description:
      'The id of a managed channel: the rule is for checks that are subscribed to it, with the alertSettings of each. Null for a rule of the config file.',
  },
  checkCount: { type: ['integer', 'null'], description: 'How many checks it selects; null where this process follows no rules.' },
  after: thresholdSchema,
  recoverAfter: thresholdSchema,
  quorum: { oneOf: [whole, { const: 'majority' }] },
  steps: {
    type: 'array',
    items: objectOf({ afterSeconds: decimal, to: strings, during: stringOrNull, outside: { enum: ['hold', 'drop'] } }),
  },
  remind: nullable(objectOf({ everySeconds: decimal, times: whole })),
  group: objectOf({ by: { enum: ['tag', 'location', 'none'] }, waitSeconds: decimal }),
})

export const alertReplaySchema = objectOf({
  from: time,
  to: time,
  count: { ...whole, description: 'Of the requested rule, or of all.' },
  rules: { type: 'array', items: objectOf({ rule: anyString, messages: whole }) },
  messages: {
    type: 'array',
    items: objectOf({
      at: time,
      channel: anyString,
      event: { enum: alertEvents },
      condition: { enum: alertConditions },
      severity: { enum: severities },
      rule: anyString,
      title: anyString,
      reason: { ...stringOrNull, description: 'Of its first subject.' },
      checks: strings,
      subjectCount: whole,
    }),
  },
  notes: { ...strings, description: 'What could not be replayed.' },
})

export const silenceSchema = objectOf({
  id: anyString,
  checks: strings,
  tags: strings,
  from: time,
  to: time,
  by: anyString,
  comment: anyString,
})

export const checkAlertSchema = objectOf({
  id: anyString,
  name: anyString,
  checkId: anyString,
  alertType: { enum: alertTypes },
  checkType: stringOrNull,
  runLocation: stringOrNull,
  responseTime: decimalOrNull,
  error: stringOrNull,
  statusCode: stringOrNull,
  created_at: time,
  startedAt: timeOrNull,
})

export const alertNotificationSchema = objectOf({
  id: anyString,
  type: anyString,
  status: { enum: notificationStatuses },
  alertConfig: { type: 'object', additionalProperties: true },
  notificationResult: stringOrNull,
  timestamp: time,
  checkType: stringOrNull,
  checkId: stringOrNull,
  checkAlertId: stringOrNull,
  alertChannelId: whole,
  checkResultId: stringOrNull,
})

export const alertExplanationSchema = objectOf({
  checkId: anyString,
  name: anyString,
  rules: {
    type: 'array',
    items: objectOf({
      rule: anyString,
      reasons: { type: 'array', items: objectOf({ code: { ...anyString, description: 'Machine-readable.' }, text: anyString }) },
    }),
  },
})

export const channelTestSchema = objectOf({ outcome: { enum: ['delivered', 'retry', 'broken'] }, answer: anyString })
