import { checkStates } from '../../store/current-state.ts'
import type { Schema } from '../route.ts'
import { anyString, decimal, decimalOrNull, nullable, objectOf, stringOrNull, strings, time, whole, yesNo } from './schema-parts.ts'

export const checkTypeSchema = objectOf({
  checkType: anyString,
  label: anyString,
  endpoint: { type: 'string', description: 'Where its analytics are; the id of a check follows.' },
  metrics: { type: 'array', items: objectOf({ name: anyString, unit: anyString, label: anyString, perPage: yesNo }) },
  duration: { type: ['string', 'null'], description: 'The metric for the duration of a run.' },
  phases: { ...strings, description: 'The metrics that add up to the duration.' },
  groupBy: { type: 'array', items: objectOf({ name: anyString, by: { enum: ['location', 'field', 'page'] } }) },
  filterByStatus: strings,
  example: { type: 'string', description: 'A check of the type as YAML, an entry of checks in the config file.' },
  files: { ...strings, description: 'The files that the example refers to.' },
  pinged: { ...yesNo, description: 'Whether its results are pings of a job to /ping/{token}.' },
  createAt: { ...anyString, description: 'Where a POST of `{"definition": …}` adds a check of the type.' },
  hasVariables: { ...yesNo, description: 'Whether managed checks of the type have `variables` of their own.' },
  acceptsCode: {
    ...yesNo,
    description: 'False if checks of the type can contain code, and the config file does not allow that over the API.',
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
  request: {
    type: 'object',
    description: 'The target of the check, without secrets.',
    additionalProperties: { type: ['string', 'number'] },
  },
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
  place: { ...stringOrNull, description: 'Its place in the config file, such as `tidemark.yaml:12`; null if it has none.' },
  ping: {
    description: 'For a check that waits for pings.',
    oneOf: [
      objectOf({
        periodSeconds: { type: 'number' },
        graceSeconds: { type: 'number' },
        token: { ...stringOrNull, description: 'The variable that holds the token.' },
      }),
      { type: 'null' },
    ],
  },
  faults: { ...faults, description: 'Why a managed check is stored but not run; empty for all others.' },
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
  state: { type: 'string', enum: checkStates, description: 'As on its badge: unknown after three periods without a result.' },
  locations: {
    type: 'array',
    description: 'Each location of the check; the worst is the state of the check.',
    items: objectOf({
      runLocation: anyString,
      state: { type: 'string', enum: checkStates, description: 'Unknown before its first result, and after three missing runs.' },
      lastCheckRunId: stringOrNull,
      updated_at: { ...time, type: ['string', 'null'], description: 'Start of its newest result.' },
    }),
  },
  muted: { ...yesNo, description: 'Whether the config file mutes the check: it runs, but does not alert.' },
  maintenance: { ...stringOrNull, description: 'The name of the current maintenance of the check.' },
  failingSince: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'The start of its outage, if it fails. Briefly null when many checks start to fail at once.',
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
  description: 'In the order of the results of the check; null if there is none.',
}

const responseSchema = nullable(
  objectOf({
    status: { type: ['integer', 'null'] },
    headers: { type: 'array', items: objectOf({ name: anyString, value: anyString }) },
    body: { ...stringOrNull, description: 'Its beginning; null if it is not text.' },
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
  description: 'Evidence of the run; null if none is kept.',
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
