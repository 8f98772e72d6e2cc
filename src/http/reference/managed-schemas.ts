import type { Schema } from '../route.ts'
import { checkSchema, faults } from './check-schemas.ts'
import { anyString, objectOf, paginationSchema, stringOrNull, strings, time, whole, yesNo } from './schema-parts.ts'

/** More fields depend on the type, as in `POST /v1/checks/{type}`. `effective` has the settings it runs with, including inherited ones. */
export const managedCheckSchema: Schema = {
  type: 'object',
  properties: {
    ...(checkSchema.properties as Readonly<Record<string, Schema>>),
    groupId: {},
    request: {},
    effective: checkSchema,
  },
  required: ['id', 'name', 'checkType', 'activated', 'muted', 'created_at', 'updated_at'],
  additionalProperties: {},
}

export const checkGroupSchema: Schema = objectOf(
  {
    id: whole,
    name: anyString,
    activated: yesNo,
    muted: yesNo,
    runParallel: { type: ['boolean', 'null'] },
    tags: strings,
    locations: strings,
    privateLocations: strings,
    concurrency: { ...whole, description: 'Without effect.' },
    environmentVariables: {
      type: 'array',
      items: objectOf({
        key: anyString,
        value: { ...anyString, description: 'Of a locked or secret one, a variable.' },
        locked: yesNo,
        secret: yesNo,
      }),
    },
    retryStrategy: { description: 'For checks with FALLBACK.' },
    created_at: time,
    updated_at: time,
    definition: { type: 'object', description: 'The whole definition.', additionalProperties: {} },
  },
  {},
)

export const variableSchema = objectOf({
  key: anyString,
  value: { ...stringOrNull, description: 'Null for a locked or secret one.' },
  locked: yesNo,
  secret: yesNo,
  created_at: time,
  updated_at: time,
})

export const dryRunSchema: Schema = {
  type: 'object',
  properties: { valid: { type: 'boolean' }, faults: faults, action: anyString, changes: { type: 'array', items: {} } },
  required: ['valid', 'faults', 'action', 'changes'],
}

/** The written check, a check that stays faulty, or the outcome of a dry run. */
export const writtenCheckSchema: Schema = {
  anyOf: [managedCheckSchema, { type: 'object', properties: { faults: faults }, required: ['id', 'activated', 'faults'] }, dryRunSchema],
}

export const bulkChangeSchema = objectOf({
  changed: whole,
  unchanged: whole,
  definedInFile: whole,
  failed: {
    type: 'array',
    description: 'Checks that would become invalid, and are not changed.',
    items: objectOf({ id: anyString, faults: faults }),
  },
})

export const bulkDeleteSchema = objectOf({
  deleted: { ...strings, description: 'Each after its dependents.' },
  definedInFile: whole,
  failed: {
    type: 'array',
    description: 'Checks that are missing or in use, and are not deleted.',
    items: objectOf({ id: anyString, faults: faults }),
  },
})

export const deletedCheckSchema = objectOf({
  id: anyString,
  name: { ...stringOrNull, description: 'Null if it was deleted by an earlier version of Tidemark.' },
  checkType: stringOrNull,
  deletedAt: time,
  restorableUntil: time,
  by: objectOf({ id: anyString, name: anyString }),
})

export const faultyCheckSchema = objectOf({
  id: anyString,
  name: anyString,
  checkType: anyString,
  activated: yesNo,
  faults: { ...faults, description: 'The first ten.' },
})

export const fieldChangeSchema: Schema = {
  type: 'object',
  properties: { pointer: anyString, before: {}, after: {} },
  required: ['pointer'],
}

export const auditEntrySchema = objectOf({
  at: time,
  kind: anyString,
  id: anyString,
  name: { ...stringOrNull, description: 'The current name of the check; null if it is deleted, or not run.' },
  version: whole,
  action: { type: 'string', enum: ['create', 'update', 'delete', 'restore'] },
  by: objectOf({ id: anyString, name: anyString }),
  changes: {
    type: 'array',
    description: 'Changed fields, by JSON pointer: without `before` if added, without `after` if removed.',
    items: fieldChangeSchema,
  },
})

export const resourceChangeSchema = objectOf({
  type: anyString,
  logicalId: anyString,
  physicalId: { type: ['string', 'integer'] },
  action: { enum: ['CREATE', 'UPDATE', 'DELETE', 'DETACHED'] },
})
const resourceChangesSchema: Schema = { type: 'array', items: resourceChangeSchema }

export const projectSchema = objectOf({
  id: anyString,
  logicalId: anyString,
  name: anyString,
  repoUrl: stringOrNull,
  createdAt: time,
  updatedAt: time,
  created_at: time,
  updated_at: time,
})

export const bundleKeySchema = objectOf({ key: anyString, contentLength: whole, checksumSha256: anyString })
export const deployResultSchema = objectOf({ project: projectSchema, diff: resourceChangesSchema })
export const destroyResultSchema = objectOf({ diff: resourceChangesSchema })

export const deploymentSchema = objectOf({
  id: anyString,
  logicalId: anyString,
  status: { enum: ['RUNNING', 'SUCCEEDED', 'FAILED'] },
  progress: whole,
  error: { anyOf: [{ type: 'null' }, objectOf({ code: anyString, message: anyString })] },
  result: { anyOf: [{ type: 'null' }, deployResultSchema] },
  createdAt: time,
  startedAt: time,
  endedAt: { type: ['string', 'null'], format: 'date-time' },
  dryRun: { const: false },
  cancelRequestedAt: { type: 'null' },
})

export const auditSchema = objectOf({ entries: { type: 'array', items: auditEntrySchema }, pagination: paginationSchema })
export const versionsSchema = objectOf({ versions: { type: 'array', items: auditEntrySchema }, pagination: paginationSchema })
export const versionsAnswer = { description: 'A page of versions, and the next cursor; null at the end.', schema: versionsSchema }
