import { callerOf } from '../hooks/auth.ts'
import { cursorParam, documentCursor } from '../input/cursor.ts'
import { readId } from '../input/find-check.ts'
import { integer, oneOf, readParams, text } from '../input/params.ts'
import { auditPage } from '../output/audit-entry.ts'
import { auditSchema } from '../reference/managed-schemas.ts'
import { type Doc, managedChecks, type Routes } from '../route.ts'

const params = {
  limit: integer({ description: 'Maximum number of writes.', min: 1, max: 100, otherwise: 20 }),
  cursor: cursorParam('The `next` cursor of the previous response.', documentCursor),
  checkId: text({ description: 'Only writes of this check.' }),
  action: oneOf({ description: 'Only writes of this kind.', choices: ['create', 'update', 'delete', 'restore'], otherwise: null }),
  keyId: text({ description: 'Only writes with this key, by its id.' }),
}

export const auditRoutes: Routes = (app, deps) => {
  app.get('/v1/audit', { config: { access: 'read', doc } }, async (request) => {
    const { limit, cursor, checkId, action, keyId } = readParams(params, request.query)
    const id = checkId === null ? null : readId(checkId)
    const query = { account: callerOf(request).account.id, kind: id === null ? null : 'check', id, before: cursor, limit }
    const isFiltered = action !== null || keyId !== null
    return auditPage(
      { catalogue: deps.catalogue, managed: managedChecks(deps) },
      query,
      isFiltered ? (record) => (action === null || record.action === action) && (keyId === null || record.keyId === keyId) : null,
    )
  })
}

const doc: Doc = {
  group: 'Managed checks',
  summary: 'Audit log of writes over the API',
  description:
    'Newest first. Writes are kept for 400 days. Secrets are shown as variables; changed ones are listed. One request reads 1,000 writes: if few of them match, a page has fewer than `limit`, even none; continue with `next`.',
  query: params,
  answer: { description: 'A page of writes, and the next cursor; null at the end.', schema: auditSchema },
  errors: ['INVALID_ID', 'INVALID_CURSOR', 'MANAGED_OFF'],
}
