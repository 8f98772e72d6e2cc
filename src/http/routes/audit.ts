import { cursorParam, documentCursor } from '../input/cursor.ts'
import { integer, readParams } from '../input/params.ts'
import { auditPage } from '../output/audit-entry.ts'
import { auditSchema } from '../reference/schemas.ts'
import { callerOf, type Doc, managedChecks, type Routes } from '../route.ts'

const params = {
  limit: integer({ description: 'How many writes.', min: 1, max: 100, otherwise: 20 }),
  cursor: cursorParam('The next of the answer before.', documentCursor),
}

export const auditRoutes: Routes = (app, deps) => {
  app.get('/v1/audit', { config: { access: 'read', doc } }, async (request) => {
    const { limit, cursor } = readParams(params, request.query)
    return auditPage(managedChecks(deps), { account: callerOf(request).account.id, kind: null, id: null, before: cursor, limit })
  })
}

const doc: Doc = {
  group: 'Managed checks',
  summary: 'What was written over the API, by whom',
  description:
    'The newest first. Writes are kept for 400 days. Secrets are shown as variables; one that was changed is listed all the same.',
  query: params,
  answer: { description: 'Some writes, and the cursor to go on with; null at the end.', schema: auditSchema },
  errors: ['INVALID_CURSOR', 'MANAGED_OFF'],
}
