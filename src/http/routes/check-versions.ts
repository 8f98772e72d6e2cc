import { apiError } from '../../errors.ts'
import { callerOf } from '../hooks/auth.ts'
import { readObject } from '../input/fields.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { readParams } from '../input/params.ts'
import { restoreBody, restoreFields, versionParams } from '../input/versions.ts'
import { definitionErrors, preconditionOf, writeErrors, writeParams, writingOf } from '../input/write-check.ts'
import { auditPage } from '../output/audit-entry.ts'
import { dryRunAnswer, faultyAnswer } from '../output/dry-run.ts'
import { managedEntry } from '../output/managed-entry.ts'
import { versionsAnswer, writtenCheckSchema } from '../reference/managed-schemas.ts'
import { type Doc, managedChecks, type Routes } from '../route.ts'

export const checkVersionRoutes: Routes = (app, deps) => {
  app.get('/v1/checks/:id/versions', { config: { access: 'read', doc: listDoc } }, async (request) => {
    const { limit, cursor } = readParams(versionParams, request.query)
    const id = requestedId(request)
    const { account } = callerOf(request)
    const managed = managedChecks(deps)
    if (!(await managed.isKnown(account, id))) findCheck(deps.catalogue, request, id)
    const { entries, pagination } = await auditPage(
      { catalogue: deps.catalogue, managed },
      { account: account.id, kind: 'check', id, before: cursor, limit },
    )
    return { versions: entries, pagination }
  })

  app.post('/v1/checks/:id/restore', { bodyLimit: 1024, config: { access: 'write', doc: restoreDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const { version } = readObject(restoreFields, request.body ?? {})
    const id = requestedId(request)
    const order = { version, precondition: preconditionOf(request) }
    const restored = managedChecks(deps).restore(writingOf(request, dryRun), id, order)
    if (dryRun) return restored.then(dryRunAnswer, faultyAnswer)
    await restored
    const check = findCheck(deps.catalogue, request, id)
    if (check.managedVersion === undefined) throw apiError('CHECK_NOT_FOUND')
    return managedEntry(check, { request, reply, deps })
  })
}

const path = { id: idSchema }

const listDoc: Doc = {
  group: 'Managed checks',
  summary: 'The versions of a check',
  description: 'Newest first, with author and changes; also for deleted checks. Checks in the config file have none.',
  path,
  query: versionParams,
  answer: versionsAnswer,
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'INVALID_CURSOR', 'MANAGED_OFF'],
}
const restoreDoc: Doc = {
  group: 'Managed checks',
  summary: 'Restore an earlier version of a check',
  description: 'Writes it again as a new version. A deleted check can be restored for an hour, unless its id was reused.',
  path,
  query: writeParams,
  body: restoreBody,
  answer: {
    description: 'The check with its whole definition.',
    schema: writtenCheckSchema,
    headers: { ETag: 'The version of the check, for If-Match.' },
  },
  errors: [
    ...writeErrors,
    'VERSION_NOT_FOUND',
    'TOO_MANY_CHECKS',
    'DEFINITIONS_TOO_LONG',
    'UNKNOWN_PROPERTY',
    'INVALID_PARAMETER',
    ...definitionErrors,
  ],
}
