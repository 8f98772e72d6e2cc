import { paging } from '../../analytics/plan.ts'
import { isoText } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { readParams } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { rangeHeaders, setRangeHeaders } from '../output/page-headers.ts'
import { deletedCheckSchema } from '../reference/managed-schemas.ts'
import { type Doc, managedChecks, type Routes } from '../route.ts'

export const deletedCheckRoutes: Routes = (app, deps) => {
  app.get('/v1/deleted-checks', { config: { access: 'read', doc } }, async (request, reply) => {
    const params = readParams(pageParams, request.query)
    const { total, checks } = managedChecks(deps).deleted(callerOf(request).account, paging(params))
    setRangeHeaders(request, reply, { ...params, shown: checks.length, total, basePath: deps.basePath })
    return checks.map(({ id, name, type, at, keyId, keyName, restorableUntil }) => ({
      id,
      name,
      checkType: type,
      deletedAt: isoText(at),
      restorableUntil: isoText(restorableUntil),
      by: { id: keyId, name: keyName },
    }))
  })
}

const doc: Doc = {
  group: 'Managed checks',
  summary: 'Checks that were deleted within the last hour',
  description: 'Newest first. Each can be restored with `POST /v1/checks/{id}/restore` until `restorableUntil`.',
  query: pageParams,
  answer: {
    description: 'A page of them; empty past the end.',
    schema: { type: 'array', items: deletedCheckSchema },
    headers: rangeHeaders,
  },
  errors: ['MANAGED_OFF'],
}
