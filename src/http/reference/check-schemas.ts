import { checkStates } from '../../store/current-state.ts'
import type { Schema } from '../route.ts'
import { anyString, decimal, decimalOrNull, nullable, objectOf, stringOrNull, strings, time, whole, yesNo } from './schema-parts.ts'

export const checkTypeSchema = objectOf({
  checkType: anyString,
  label: anyString,
  endpoint: { type: 'string', description: 'Where its analytics are; the id of a check follows.' },
  metrics: { type: 'array', items: objectOf({ name: anyString, unit: anyString, label: anyString, perPage: yesNo }) },
  duration: { type: ['string', 'null'], description: 'The metric for how long a run took.' },
  phases: { ...strings, description: 'The metrics that sum up to the duration.' },
  groupBy: { type: 'array', items: objectOf({ name: anyString, by: { enum: ['location', 'field', 'page'] } }) },
  filterByStatus: strings,
  example: { type: 'string', description: 'A check of the type as YAML, an entry of checks in the config file.' },
  files: { ...strings, description: 'The files that the example refers to.' },
  pinged: { ...yesNo, description: 'Whether its results are pings of a job to /ping/{token}.' },
  createAt: { ...anyString, description: 'Where a POST of `{"definition": …}` adds a check of the type.' },
  hasVariables: { ...yesNo, description: 'Whether managed checks of the type have `variables` of their own.' },
  acceptsCode: {
    ...yesNo,
    description: 'False where checks of the type can hold code, and the config file does not allow that over the API.',
  },
})

export const checkSchema = objectOf({
  id: anyString,
  name: anyString,
  checkType: anyString,
  activated: yesNo,
  muted: yesNo,
  frequency: whole,
  locations: strings,
  tags: strings,
  groupId: { type: ['integer', 'null'], description: 'The check group of a managed check.' },
  request: { type: 'object', description: 'What is called, without any secret.', additionalProperties: { type: ['string', 'number'] } },
  created_at: time,
  updated_at: time,
})

const originProperties = {
  file: { ...stringOrNull, description: 'The file that has it, relative to the config file; null for the config file itself.' },
  group: { ...stringOrNull, description: 'The id of its group.' },
  managedVersion: { type: ['integer', 'null'], description: 'The version of a managed check; null for one of the config file.' },
}

export const listedDefinitionSchema = objectOf({
  id: anyString,
  definition: { type: 'object', description: 'As an entry of the config file.', additionalProperties: {} },
  ...originProperties,
})

export const faultSchema = objectOf({ pointer: anyString, message: anyString })
export const faults: Schema = { type: 'array', items: faultSchema }

export const checkDefinitionSchema = objectOf({
  definition: { type: 'object', description: 'Its entry in the config file.', additionalProperties: {} },
  yaml: { ...anyString, description: 'The same as an item of checks in the config file.' },
  ...originProperties,
  place: { ...stringOrNull, description: 'Where the config file has it, such as `tidemark.yaml:12`; null where it does not.' },
  ping: {
    description: 'Of a check that waits for pings.',
    oneOf: [
      objectOf({
        periodSeconds: { type: 'number' },
        graceSeconds: { type: 'number' },
        token: { ...stringOrNull, description: 'The variable that holds the token.' },
      }),
      { type: 'null' },
    ],
  },
  faults: { ...faults, description: 'Why a managed check is stored, but not run; empty for any other.' },
})

export const checkStatusSchema = objectOf({
  name: anyString,
  checkId: anyString,
  hasFailures: yesNo,
  hasErrors: yesNo,
  isDegraded: yesNo,
  longestRun: { ...decimalOrNull, description: 'Milliseconds, of the last 24 hours.' },
  shortestRun: { ...decimalOrNull, description: 'Milliseconds, of the last 24 hours.' },
  lastRunLocation: stringOrNull,
  lastCheckRunId: stringOrNull,
  sslDaysRemaining: { type: ['integer', 'null'] },
  created_at: time,
  updated_at: time,
  state: { type: 'string', enum: checkStates, description: 'As on its badge: unknown where no result came for three periods.' },
  locations: {
    type: 'array',
    description: 'Each location of the check; the worst of them is the state of the check.',
    items: objectOf({
      runLocation: anyString,
      state: { type: 'string', enum: checkStates, description: 'Unknown before its first result, and where three runs there are missing.' },
      lastCheckRunId: stringOrNull,
      updated_at: { ...time, type: ['string', 'null'], description: 'When its newest result started.' },
    }),
  },
  muted: { ...yesNo, description: 'Whether the config file mutes the check: it runs, and alerts are to leave it out.' },
  maintenance: { ...stringOrNull, description: 'The name of the maintenance that the check is in now.' },
  failingSince: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it began to fail, if it fails: the start of its outage. Null for a moment where many checks begin to fail at once.',
  },
  reason: { ...stringOrNull, description: 'Why it fails, if it does: the error of its newest failing result.' },
})

export const checkResultSchema: Schema = {
  ...objectOf(
    {
      id: anyString,
      name: anyString,
      checkId: anyString,
      hasFailures: yesNo,
      hasErrors: yesNo,
      isDegraded: yesNo,
      overMaxResponseTime: yesNo,
      runLocation: anyString,
      startedAt: time,
      stoppedAt: time,
      created_at: time,
      responseTime: decimalOrNull,
      attempts: whole,
      checkRunId: anyString,
      resultType: { const: 'FINAL' },
      error: { ...stringOrNull, description: 'Why it failed.' },
    },
    {},
  ),
  description: 'In addition, what the check type measures.',
}

const neighbourSchema: Schema = {
  ...nullable(objectOf({ id: anyString, startedAt: time, runLocation: anyString })),
  description: 'In the order of the results of the check; null where there is none.',
}

const responseSchema = nullable(
  objectOf({
    status: { type: ['integer', 'null'] },
    headers: { type: 'array', items: objectOf({ name: anyString, value: anyString }) },
    body: { ...stringOrNull, description: 'Its beginning; null where it is not text.' },
    truncated: yesNo,
  }),
)

export const attemptSchema = objectOf({
  startedAt: time,
  error: stringOrNull,
  assertions: { type: 'array', items: objectOf({ expected: anyString, found: anyString, passed: yesNo }) },
  response: responseSchema,
  steps: { type: 'array', items: objectOf({ title: anyString, durationMs: decimal, error: stringOrNull }) },
  messages: strings,
})

export const evidenceSchema = objectOf({
  attempts: { type: 'array', items: attemptSchema },
  screenshot: nullable(objectOf({ mediaType: anyString, base64: anyString })),
})

const evidenceOrNull: Schema = {
  ...nullable(evidenceSchema),
  description: 'What the run can show beyond its result; null where nothing is kept.',
}

export const checkResultDetailsSchema: Schema = {
  ...checkResultSchema,
  ...objectOf(
    {
      ...(checkResultSchema.properties as Readonly<Record<string, Schema>>),
      previous: neighbourSchema,
      next: neighbourSchema,
      evidence: evidenceOrNull,
    },
    {},
  ),
}

const triedDefinition = {
  checkType: anyString,
  createAt: { ...anyString, description: 'Where a POST of `{"definition": …}` adds this check.' },
  definition: { type: 'object', description: 'As an entry of `checks:` of the config file; secrets are variables.' },
  yaml: { ...anyString, description: 'The same in YAML, as an item of that list.' },
}

export const triedRunSchema: Schema = {
  anyOf: [
    {
      ...checkResultSchema,
      ...objectOf(
        { ...(checkResultSchema.properties as Readonly<Record<string, Schema>>), evidence: evidenceOrNull, ...triedDefinition },
        {},
      ),
    },
    objectOf(triedDefinition),
  ],
}

export const checkResultsSchema = objectOf({ length: whole, entries: { type: 'array', items: checkResultSchema }, nextId: stringOrNull })
