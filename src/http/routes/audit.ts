import { callerOf } from '../hooks/auth.ts'
import { cursorParam, documentCursor } from '../input/cursor.ts'
import { readId } from '../input/find-check.ts'
import { integer, oneOf, readParams, text } from '../input/params.ts'
import { auditPage } from '../output/audit-entry.ts'
import { auditSchema } from '../reference/managed-schemas.ts'
import { type Doc, managedChecks, type Routes } from '../route.ts'

const params = {
  limit: integer({ description: 'How many writes.', min: 1, max: 100, otherwise: 20 }),
  cursor: cursorParam('The next of the answer before.', documentCursor),
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
  summary: 'What was written over the API, by whom',
  description:
    'The newest first. Writes are kept for 400 days. Secrets are shown as variables; one that was changed is still listed. One request looks at 1,000 writes: where few of them fit, an answer has fewer than `limit`, even none, and `next` goes on.',
  query: params,
  answer: { description: 'Some writes, and the cursor to go on with; null at the end.', schema: auditSchema },
  errors: ['INVALID_ID', 'INVALID_CURSOR', 'MANAGED_OFF'],
}
