import { alertConditions, alertEvents, severities } from '../../alerts/channels/message.ts'
import { deliveryStates } from '../../alerts/outbox/alert-records.ts'
import { evidenceModes } from '../../catalogue/catalogue.ts'
import { canaryReports } from '../../locations/protocol.ts'
import { checkStates } from '../../store/current-state.ts'
import { aggregations } from '../../store/store.ts'
import { timelineStates } from '../../store/timeline/state.ts'
import { alertTypes, notificationStatuses } from '../output/check-alert.ts'
import type { Schema } from '../route.ts'

const text: Schema = { type: 'string' }
const textOrNull: Schema = { type: ['string', 'null'] }
const yesNo: Schema = { type: 'boolean' }
const whole: Schema = { type: 'integer' }
const numberOrNull: Schema = { type: ['number', 'null'] }
const time: Schema = { type: 'string', format: 'date-time' }
const texts: Schema = { type: 'array', items: text }

/** An object that requires all these properties. */
function object(properties: Readonly<Record<string, Schema>>, rest?: Schema): Schema {
  return { type: 'object', properties, required: Object.keys(properties), ...(rest && { additionalProperties: rest }) }
}

export const errorSchema = object({ statusCode: whole, error: text, message: text, code: text })

export const accountSchema = object({ id: text, name: text, runtimeId: text })
export const runtimeSchema = object({
  name: text,
  multiStepSupport: yesNo,
  dependencies: { type: 'object', description: 'Packages that scripts can import, with their versions.', additionalProperties: text },
})
export const userSchema = object({ id: text, name: text, scopes: { ...texts, description: 'What the key may do.' } })
export const emptyPageSchema = object({
  length: { const: 0 },
  entries: { type: 'array', items: {}, maxItems: 0 },
  nextId: { type: 'null' },
})

export const metricEntrySchema = object({ name: text, unit: text, label: text, aggregated: yesNo, type: { const: 'Float' } })

const seriesSchema: Schema = {
  type: 'object',
  description: 'One series: the value it is grouped by, where there is one, and its rows.',
  properties: {
    data: {
      type: 'array',
      items: { type: 'object', additionalProperties: { type: ['number', 'string', 'boolean', 'null'] } },
    },
  },
  required: ['data'],
  additionalProperties: { type: ['string', 'number', 'null'] },
}

/** An object that requires all but the first properties. */
function withOptional(optional: Readonly<Record<string, Schema>>, required: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

const metadataSchema: Schema = {
  type: 'object',
  properties: { unit: text, label: text, aggregation: { enum: aggregations } },
  required: ['unit', 'label'],
}

export const outageSchema = object({
  checkId: text,
  name: text,
  checkType: text,
  from: time,
  to: { type: ['string', 'null'], format: 'date-time', description: 'Null while it lasts.' },
  seconds: { type: 'number', description: 'Until now, while it lasts.' },
  locations: { ...texts, description: 'All that were down in it.' },
  reason: { ...textOrNull, description: 'The error that its failing results have most often.' },
  firstResultId: { ...textOrNull, description: 'The first failing result in it.' },
  lastResultId: { ...textOrNull, description: 'The last failing result in it.' },
  maintenance: { ...yesNo, description: 'Whether any of it was in maintenance.' },
})

export const outagesSchema = withOptional(
  {
    totals: {
      ...object({ outages: whole, seconds: { type: 'number', description: 'Of all of them together.' } }),
      description: 'Only with totals: all outages, not only those of the page.',
    },
  },
  { from: time, to: time, outages: { type: 'array', items: outageSchema }, pagination: object({ limit: whole, next: textOrNull }) },
)

export const failureSchema = object({
  reason: {
    ...textOrNull,
    description: 'The error, its numbers as #, ids as <id> and addresses as <address>; null where results have none.',
  },
  count: { ...whole, description: 'Failing results.' },
  firstSeen: time,
  lastSeen: time,
  locations: texts,
  checkIds: texts,
  example: { ...object({ checkId: text, resultId: text, startedAt: time, error: textOrNull }), description: 'The newest of them.' },
})

export const failuresSchema = object({
  from: time,
  to: time,
  total: { ...whole, description: 'Failing results of all reasons.' },
  failures: { type: 'array', items: failureSchema },
  pagination: object({ limit: whole, next: textOrNull }),
})

export const queryAnswerSchema: Schema = {
  ...object({
    from: time,
    to: time,
    timezone: text,
    checks: { type: 'integer', description: 'How many checks were chosen.' },
    series: {
      type: 'array',
      items: { ...seriesSchema, properties: { data: { type: 'array', items: { type: 'object', additionalProperties: {} } } } },
    },
    metadata: { type: 'object', additionalProperties: { ...metadataSchema, properties: { unit: text, label: text, aggregation: text } } },
    pagination: object({ limit: whole, next: textOrNull }),
    cost: object({ results: whole, milliseconds: { type: 'number' } }),
  }),
  description: 'With compare, also compared: the window that previous in each row is of.',
}

const intervalsSchema: Schema = {
  type: 'array',
  description: 'Only with explain: the states of the window.',
  items: object({ from: time, to: time, state: { enum: timelineStates } }),
}

export const reportSchema = withOptional(
  { intervals: intervalsSchema },
  {
    checkId: text,
    name: text,
    checkType: text,
    activated: yesNo,
    muted: yesNo,
    frequency: { type: 'integer', description: 'Minutes; 0 where a check runs more often than each minute.' },
    from: time,
    to: time,
    tags: texts,
    series: { type: 'array', items: seriesSchema },
    metadata: { type: 'object', additionalProperties: metadataSchema },
    pagination: object({ page: whole, limit: whole }),
  },
)

const courseSchema: Schema = { type: 'array', items: object({ period: time, total: whole, success: whole, availability: numberOrNull }) }

export const summarySchema: Schema = {
  type: 'object',
  properties: { checkId: text, checkType: text, availability: numberOrNull, data: courseSchema },
  required: ['checkId', 'checkType', 'availability'],
  additionalProperties: numberOrNull,
}

const number: Schema = { type: 'number' }

const objectiveSchema: Schema = {
  type: 'object',
  properties: {
    kind: { enum: ['availability', 'latency'] },
    by: { enum: ['runs', 'time'] },
    target: { type: 'number', description: 'A percentage.' },
    metric: text,
    thresholdMs: number,
  },
  required: ['kind', 'by', 'target'],
}

const sloWindowSchema: Schema = {
  oneOf: [
    object({ kind: { const: 'rolling' }, duration: text }),
    object({ kind: { const: 'calendar' }, unit: { enum: ['day', 'week', 'month'] }, timezone: text }),
  ],
}

export const sloDaySchema = object({ day: { type: 'string', format: 'date' }, attained: numberOrNull, budgetLeft: number })

export const sloSchema = object({
  id: text,
  name: text,
  checks: texts,
  objective: objectiveSchema,
  window: sloWindowSchema,
  from: time,
  to: time,
  attained: { ...numberOrNull, description: 'A percentage; null where nothing counts.' },
  met: { type: ['boolean', 'null'] },
  budget: object({ unit: { enum: ['runs', 'seconds'] }, total: number, used: number, left: number }),
  burnRate: object({ '1h': numberOrNull, '6h': numberOrNull, '24h': numberOrNull, '3d': numberOrNull }),
  exhaustedAt: { type: ['string', 'null'], format: 'date-time', description: 'At the rate of the last 24 hours; null if never.' },
  days: { type: 'array', items: sloDaySchema },
})

export const maintenanceSchema = object({ name: text, from: time, to: time, checkIds: texts })

const assignment = object({
  protocol: whole,
  account: text,
  location: text,
  addresses: object({ allow: texts, deny: texts }),
  evidence: object({ mode: { enum: evidenceModes }, evidenceBytes: whole, screenshotBytes: whole }),
  checks: {
    type: 'array',
    items: {
      ...object({
        id: text,
        name: text,
        type: text,
        everyMs: number,
        locations: texts,
        secrets: texts,
        since: numberOrNull,
        scripts: {
          description: 'The bundle of its files, or why they are not sent; null where its runs need none.',
          anyOf: [object({ bundle: text }), object({ problem: text }), { type: 'null' }],
        },
      }),
      description: 'Beside these, the settings of the check as the config file has them, with the values of variables.',
      additionalProperties: true,
    },
  },
})

export const assignmentSchema: Schema = {
  ...assignment,
  properties: {
    ...(assignment.properties as Readonly<Record<string, Schema>>),
    canaries: { ...texts, description: 'What the location must be able to reach, host:port; absent where the config file names nothing.' },
    trials: {
      type: 'array',
      description: 'Checks that are not stored, to be run once; absent where there are none.',
      items: object({ id: text, check: { type: 'object' } }),
    },
  },
}

export const scriptBundleSchema = object({
  configDir: { type: 'string', description: 'Paths in the settings of the check are relative to this folder.' },
  files: { type: 'array', items: object({ path: text, base64: text }) },
})

const agentSchema = object({
  instance: { type: 'string', description: 'Stays the same when the agent starts again.' },
  name: { type: ['string', 'null'], description: 'What people call it: its --name, by default the name of its machine.' },
  version: text,
  state: { enum: ['live', 'silent', 'stopped'] },
  firstContact: time,
  lastContact: time,
  clockOffsetMs: { type: ['integer', 'null'], description: "The server's clock minus the agent's, as the agent has measured it." },
  stampsServerTime: { type: 'boolean', description: 'Whether its results are stamped in the time of the server, since its clock is off.' },
  backlog: { type: 'integer', description: 'Results that wait in its outbox.' },
  agentDropped: { type: 'integer', description: 'Results that it had to drop, since its outbox was full or they were too old.' },
  canary: {
    enum: [...canaryReports, null],
    description: 'Whether it reaches any of the canaries of its location; null where there are none, or it has not said.',
  },
  checks: { type: 'integer', description: 'How many checks it runs.' },
})

export const locationSchema = object({
  location: text,
  runBy: {
    enum: ['agents', 'server', 'none'],
    description: 'none: there is no key of agents for the location, and runner.locations of the config file leaves it out.',
  },
  runsHere: {
    ...yesNo,
    description:
      'Whether this process runs its checks. With runBy server, false where it was started with --no-runner or for other locations: another process may run them.',
  },
  checks: whole,
  agents: { type: 'array', items: agentSchema },
})

export const alertChannelSchema = object({
  id: { type: 'integer', description: 'Of one of the config file, derived from the account and channelId.' },
  channelId: { type: 'string', description: 'Its id in the config file, or what alerts call a managed one.' },
  name: text,
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
    items: object({ checkId: text, groupId: { type: 'null' }, activated: yesNo }),
  },
  sendRecovery: { type: 'boolean', description: 'Whether any rule uses it.' },
  sendFailure: { type: 'boolean', description: 'Whether a rule of failing, sloBurn or silent uses it.' },
  sendDegraded: { type: 'boolean', description: 'Whether a rule of degraded uses it.' },
  sslExpiry: { type: 'boolean', description: 'Whether a rule of certificate uses it.' },
  sslExpiryThreshold: { type: 'integer', minimum: 1, maximum: 30 },
  autoSubscribe: { type: 'boolean', description: 'Whether a rule for all checks uses it.' },
  created_at: { type: ['string', 'null'], description: 'Null for one of the config file.' },
  updated_at: textOrNull,
  health: {
    oneOf: [
      object({
        state: { enum: ['ok', 'failing', 'broken'] },
        since: time,
        lastAt: time,
        answer: text,
      }),
      { type: 'null' },
    ],
    description: 'What became of the last message; null where none was sent since the server started, or where it sends no alerts.',
  },
})

const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' }
const nullable = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] })

const alertMemberSchema = object({
  subject: { ...text, description: 'Unique within the alert.' },
  checkId: { ...textOrNull, description: 'Null where it is no check.' },
  name: text,
  since: { ...time, description: 'When the state began.' },
  openedAt: { ...time, description: 'When it had lasted for long enough.' },
  until: { ...timeOrNull, description: 'When the state ended; null while it lasts.' },
  closedAt: timeOrNull,
  endedBy: { enum: ['recovered', 'paused', 'removed', null] },
  reason: { ...textOrNull, description: 'The first failing assertion, or the error.' },
  locations: nullable(object({ down: texts, known: whole })),
  resultId: { ...textOrNull, description: 'The result that the reason is of.' },
  certificateDays: { type: ['integer', 'null'] },
  isFlapping: yesNo,
})

const alertMessageSchema = object({
  id: { ...text, description: 'The same for every attempt.' },
  channel: text,
  event: { enum: alertEvents },
  title: text,
  decidedAt: time,
  state: { enum: deliveryStates },
  attempts: whole,
  lastAt: timeOrNull,
  answer: { ...textOrNull, description: 'What the channel answered last.' },
  nextAt: { ...timeOrNull, description: 'When it is tried again; null where it is not.' },
})

export const alertSchema = object({
  id: text,
  title: text,
  rule: { ...text, description: 'The id of the rule in the config file.' },
  condition: { enum: alertConditions },
  severity: { enum: severities },
  openedAt: time,
  closedAt: { ...timeOrNull, description: 'Null while it is open.' },
  acknowledged: nullable(object({ at: time, by: text })),
  memberCount: whole,
  members: { type: 'array', items: alertMemberSchema, description: 'Open ones first; in a list at most 20, else at most 1,000.' },
  channels: {
    type: 'array',
    description: 'What each channel has been notified of, by answers that confirmed it.',
    items: object({
      channel: text,
      firstAt: { ...timeOrNull, description: 'Null where it was never notified.' },
      lastAt: timeOrNull,
      open: { ...whole, description: 'How many members it was notified of as open.' },
      reminders: whole,
      dropped: { ...yesNo, description: 'Whether it is never notified, since its step fell outside of its hours.' },
    }),
  },
  messages: { type: 'array', items: alertMessageSchema, description: 'Newest first; in a list the last to each channel.' },
})
export const alertsSchema = object({
  from: time,
  to: time,
  alerts: { type: 'array', items: alertSchema },
  pagination: object({ limit: whole, next: textOrNull }),
})

const thresholdSchema = object({
  runs: { type: ['integer', 'null'], description: 'How many runs in a row.' },
  seconds: { ...numberOrNull, description: 'In place of runs.' },
})

export const alertRuleSchema = object({
  id: text,
  when: { enum: ['failing', 'degraded', 'silent', 'certificate', 'sloBurn'] },
  certificateDays: { type: 'array', items: whole },
  slos: { ...texts, description: 'Ids of SLOs; none for all of the selected checks.' },
  severity: { enum: severities },
  checks: { ...texts, description: 'Ids of checks; none for all.' },
  tags: texts,
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
    items: object({ afterSeconds: number, to: texts, during: textOrNull, outside: { enum: ['hold', 'drop'] } }),
  },
  remind: nullable(object({ everySeconds: number, times: whole })),
  group: object({ by: { enum: ['tag', 'location', 'none'] }, waitSeconds: number }),
})

export const alertReplaySchema = object({
  from: time,
  to: time,
  count: { ...whole, description: 'Of the rule that was asked for, or of all.' },
  rules: { type: 'array', items: object({ rule: text, messages: whole }) },
  messages: {
    type: 'array',
    items: object({
      at: time,
      channel: text,
      event: { enum: alertEvents },
      condition: { enum: alertConditions },
      severity: { enum: severities },
      rule: text,
      title: text,
      reason: { ...textOrNull, description: 'Of its first subject.' },
      checks: texts,
      subjectCount: whole,
    }),
  },
  notes: { ...texts, description: 'What could not be replayed, in words.' },
})

export const silenceSchema = object({ id: text, checks: texts, tags: texts, from: time, to: time, by: text, comment: text })

export const checkAlertSchema = object({
  id: text,
  name: text,
  checkId: text,
  alertType: { enum: alertTypes },
  checkType: textOrNull,
  runLocation: textOrNull,
  responseTime: numberOrNull,
  error: textOrNull,
  statusCode: textOrNull,
  created_at: time,
  startedAt: timeOrNull,
})

export const alertNotificationSchema = object({
  id: text,
  type: text,
  status: { enum: notificationStatuses },
  alertConfig: { type: 'object', additionalProperties: true },
  notificationResult: textOrNull,
  timestamp: time,
  checkType: textOrNull,
  checkId: textOrNull,
  checkAlertId: textOrNull,
  alertChannelId: whole,
  checkResultId: textOrNull,
})

export const alertExplanationSchema = object({
  checkId: text,
  name: text,
  rules: {
    type: 'array',
    items: object({
      rule: text,
      reasons: { type: 'array', items: object({ code: { ...text, description: 'For programs.' }, text }) },
    }),
  },
})

export const channelTestSchema = object({ outcome: { enum: ['delivered', 'retry', 'broken'] }, answer: text })

export const checkTypeSchema = object({
  checkType: text,
  label: text,
  endpoint: { type: 'string', description: 'Where its analytics are; the id of a check follows.' },
  metrics: { type: 'array', items: object({ name: text, unit: text, label: text, perPage: yesNo }) },
  duration: { type: ['string', 'null'], description: 'The metric that tells how long a run took.' },
  phases: { ...texts, description: 'The metrics that sum up to the duration.' },
  groupBy: { type: 'array', items: object({ name: text, by: { enum: ['location', 'field', 'page'] } }) },
  filterByStatus: texts,
  example: { type: 'string', description: 'A check of the type as YAML, an entry of checks in the config file.' },
  files: { ...texts, description: 'The files that the example refers to.' },
  pinged: { ...yesNo, description: 'Whether its results are pings of a job to /ping/{token}.' },
  createAt: { ...text, description: 'Where a POST of `{"definition": …}` adds a check of the type.' },
  acceptsCode: {
    ...yesNo,
    description: 'False where checks of the type can hold code, and the config file does not allow that over the API.',
  },
})

export const checkSchema = object({
  id: text,
  name: text,
  checkType: text,
  activated: yesNo,
  muted: yesNo,
  frequency: whole,
  locations: texts,
  tags: texts,
  groupId: { type: ['integer', 'null'], description: 'The check group of a managed check.' },
  request: { type: 'object', description: 'What is called, without any secret.', additionalProperties: { type: ['string', 'number'] } },
  created_at: time,
  updated_at: time,
})

/** Further fields of a managed check depend on its type, as in `POST /v1/checks/{type}`. */
export const managedCheckSchema: Schema = {
  type: 'object',
  properties: { ...(checkSchema.properties as Readonly<Record<string, Schema>>), groupId: {}, request: {} },
  required: ['id', 'name', 'checkType', 'activated', 'muted', 'created_at', 'updated_at'],
  additionalProperties: {},
}

const faultsSchema: Schema = { type: 'array', items: object({ pointer: text, message: text }) }

export const checkGroupSchema: Schema = object(
  {
    id: whole,
    name: text,
    activated: yesNo,
    muted: yesNo,
    runParallel: { type: ['boolean', 'null'] },
    tags: texts,
    locations: texts,
    privateLocations: texts,
    concurrency: { ...whole, description: 'Without effect.' },
    environmentVariables: {
      type: 'array',
      items: object({ key: text, value: { ...text, description: 'Of a locked or secret one, a variable.' }, locked: yesNo, secret: yesNo }),
    },
    retryStrategy: { description: 'Of checks that say FALLBACK.' },
    created_at: time,
    updated_at: time,
    definition: { type: 'object', description: 'The whole definition.', additionalProperties: {} },
  },
  {},
)

export const variableSchema = object({
  key: text,
  value: { ...textOrNull, description: 'Null for a locked or secret one.' },
  locked: yesNo,
  secret: yesNo,
  created_at: time,
  updated_at: time,
})

/** The outcome of a dry run. */
export const dryRunSchema: Schema = {
  type: 'object',
  properties: { valid: { type: 'boolean' }, faults: faultsSchema, action: text, changes: { type: 'array', items: {} } },
  required: ['valid', 'faults', 'action', 'changes'],
}

/** A check that was written, one that stays faulty, or the outcome of a dry run. */
export const writtenCheckSchema: Schema = {
  anyOf: [
    managedCheckSchema,
    { type: 'object', properties: { faults: faultsSchema }, required: ['id', 'activated', 'faults'] },
    dryRunSchema,
  ],
}

export const bulkChangeSchema = object({
  changed: whole,
  unchanged: whole,
  definedInFile: whole,
  failed: {
    type: 'array',
    description: 'Checks that would have faults, and stay as they were.',
    items: object({ id: text, faults: faultsSchema }),
  },
})

export const bulkDeleteSchema = object({
  deleted: { ...texts, description: 'Each after those that depend on it.' },
  definedInFile: whole,
  failed: {
    type: 'array',
    description: 'Checks that are not there, or in use, and stay.',
    items: object({ id: text, faults: faultsSchema }),
  },
})

export const deletedCheckSchema = object({
  id: text,
  name: { ...textOrNull, description: 'Null where it was deleted by an earlier version of Tidemark.' },
  checkType: textOrNull,
  deletedAt: time,
  restorableUntil: time,
  by: object({ id: text, name: text }),
})

export const faultyCheckSchema = object({
  id: text,
  name: text,
  checkType: text,
  activated: yesNo,
  faults: { ...faultsSchema, description: 'The first ten.' },
})

const writeSchema = object({
  at: time,
  kind: text,
  id: text,
  name: { ...textOrNull, description: 'What the check is called now; null where it is not there, or not run.' },
  version: whole,
  action: { type: 'string', enum: ['create', 'update', 'delete', 'restore'] },
  by: object({ id: text, name: text }),
  changes: {
    type: 'array',
    description: 'Fields that changed, by JSON pointers: without before where one was added, and without after where it was removed.',
    items: { type: 'object', properties: { pointer: text, before: {}, after: {} }, required: ['pointer'] },
  },
})
const writePages = object({ limit: whole, next: textOrNull })
const resourceChangesSchema: Schema = {
  type: 'array',
  items: object({
    type: text,
    logicalId: text,
    physicalId: { type: ['string', 'integer'] },
    action: { enum: ['CREATE', 'UPDATE', 'DELETE', 'DETACHED'] },
  }),
}
export const projectSchema = object({
  id: text,
  logicalId: text,
  name: text,
  repoUrl: textOrNull,
  createdAt: time,
  updatedAt: time,
  created_at: time,
  updated_at: time,
})
export const bundleKeySchema = object({ key: text, contentLength: whole, checksumSha256: text })
export const deployResultSchema = object({ project: projectSchema, diff: resourceChangesSchema })
export const destroyedSchema = object({ diff: resourceChangesSchema })
export const deploymentSchema = object({
  id: text,
  logicalId: text,
  status: { enum: ['RUNNING', 'SUCCEEDED', 'FAILED'] },
  progress: whole,
  error: { anyOf: [{ type: 'null' }, object({ code: text, message: text })] },
  result: { anyOf: [{ type: 'null' }, deployResultSchema] },
  createdAt: time,
  startedAt: time,
  endedAt: { type: ['string', 'null'], format: 'date-time' },
  dryRun: { const: false },
  cancelRequestedAt: { type: 'null' },
})

export const auditSchema = object({ entries: { type: 'array', items: writeSchema }, pagination: writePages })
export const versionsSchema = object({ versions: { type: 'array', items: writeSchema }, pagination: writePages })

const originProperties = {
  file: { ...textOrNull, description: 'The file that has it, relative to the config file; null for the config file itself.' },
  group: { ...textOrNull, description: 'The id of its group.' },
}

export const listedDefinitionSchema = object({
  id: text,
  definition: { type: 'object', description: 'As an entry of the config file.', additionalProperties: {} },
  ...originProperties,
})

export const checkDefinitionSchema = object({
  definition: { type: 'object', description: 'Its entry in the config file.', additionalProperties: {} },
  yaml: { ...text, description: 'The same as an item of checks in the config file.' },
  ...originProperties,
  managedVersion: { type: ['integer', 'null'], description: 'The version of a managed check; null for one of the config file.' },
  place: { ...textOrNull, description: 'Where the config file has it, such as `tidemark.yaml:12`; null where it does not.' },
  ping: {
    description: 'Of a check that waits for pings.',
    oneOf: [
      object({
        periodSeconds: { type: 'number' },
        graceSeconds: { type: 'number' },
        token: { ...textOrNull, description: 'The variable that holds the token.' },
      }),
      { type: 'null' },
    ],
  },
})

export const checkStatusSchema = object({
  name: text,
  checkId: text,
  hasFailures: yesNo,
  hasErrors: yesNo,
  isDegraded: yesNo,
  longestRun: { ...numberOrNull, description: 'Milliseconds, of the last 24 hours.' },
  shortestRun: { ...numberOrNull, description: 'Milliseconds, of the last 24 hours.' },
  lastRunLocation: textOrNull,
  lastCheckRunId: textOrNull,
  sslDaysRemaining: { type: ['integer', 'null'] },
  created_at: time,
  updated_at: time,
  state: { type: 'string', enum: checkStates, description: 'As on its badge: unknown where no result came for three periods.' },
  locations: {
    type: 'array',
    description: 'Each location of the check; the worst of them is the state of the check.',
    items: object({
      runLocation: text,
      state: { type: 'string', enum: checkStates, description: 'Unknown before its first result, and where three runs there are missing.' },
      lastCheckRunId: textOrNull,
      updated_at: { ...time, type: ['string', 'null'], description: 'When its newest result started.' },
    }),
  },
  muted: { ...yesNo, description: 'Whether the config file mutes the check: it runs, and alerts are to leave it out.' },
  maintenance: { ...textOrNull, description: 'The name of the maintenance that the check is in now.' },
  failingSince: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it began to fail, if it fails: the start of its outage. Null for a moment where many checks begin to fail at once.',
  },
  reason: { ...textOrNull, description: 'Why it fails, if it does: the error of its newest failing result.' },
})

export const checkResultSchema: Schema = {
  ...object(
    {
      id: text,
      name: text,
      checkId: text,
      hasFailures: yesNo,
      hasErrors: yesNo,
      isDegraded: yesNo,
      overMaxResponseTime: yesNo,
      runLocation: text,
      startedAt: time,
      stoppedAt: time,
      created_at: time,
      responseTime: numberOrNull,
      attempts: whole,
      checkRunId: text,
      resultType: { const: 'FINAL' },
      error: { ...textOrNull, description: 'Why it failed.' },
    },
    {},
  ),
  description: 'Beside these, what the check type measures.',
}

const neighbourSchema: Schema = {
  oneOf: [object({ id: text, startedAt: time, runLocation: text }), { type: 'null' }],
  description: 'In the order of the results of the check; null where there is none.',
}

const responseSchema: Schema = {
  oneOf: [
    object({
      status: { type: ['integer', 'null'] },
      headers: { type: 'array', items: object({ name: text, value: text }) },
      body: { ...textOrNull, description: 'Its beginning; null where it is not text.' },
      truncated: yesNo,
    }),
    { type: 'null' },
  ],
}

const attemptSchema = object({
  startedAt: time,
  error: textOrNull,
  assertions: { type: 'array', items: object({ expected: text, found: text, passed: yesNo }) },
  response: responseSchema,
  steps: { type: 'array', items: object({ title: text, durationMs: number, error: textOrNull }) },
  messages: texts,
})

const evidenceSchema: Schema = {
  oneOf: [
    object({
      attempts: { type: 'array', items: attemptSchema },
      screenshot: { oneOf: [object({ mediaType: text, base64: text }), { type: 'null' }] },
    }),
    { type: 'null' },
  ],
  description: 'What the run can show beyond its result; null where nothing is kept.',
}

export const oneResultSchema: Schema = {
  ...checkResultSchema,
  ...object(
    {
      ...(checkResultSchema.properties as Readonly<Record<string, Schema>>),
      previous: neighbourSchema,
      next: neighbourSchema,
      evidence: evidenceSchema,
    },
    {},
  ),
}

const triedDefinition = {
  checkType: text,
  createAt: { ...text, description: 'Where a POST of `{"definition": …}` adds this check.' },
  definition: { type: 'object', description: 'As an entry of `checks:` of the config file; secrets are variables.' },
  yaml: { ...text, description: 'The same in YAML, as an item of that list.' },
}

export const triedRunSchema: Schema = {
  anyOf: [
    {
      ...checkResultSchema,
      ...object(
        { ...(checkResultSchema.properties as Readonly<Record<string, Schema>>), evidence: evidenceSchema, ...triedDefinition },
        {},
      ),
    },
    object(triedDefinition),
  ],
}

export const checkResultsSchema = object({ length: whole, entries: { type: 'array', items: checkResultSchema }, nextId: textOrNull })
