import { callerOf } from '../hooks/auth.ts'
import { readParams } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { pageWithRange, rangeHeaders } from '../output/page-headers.ts'
import { faultyCheckSchema } from '../reference/managed-schemas.ts'
import type { Doc, Routes } from '../route.ts'

/** Faults per check in the list; `GET /v1/checks/{id}` has all. */
const maxFaults = 10

export const faultyCheckRoutes: Routes = (app, deps) => {
  app.get('/v1/faulty-checks', { config: { access: 'read', doc } }, async (request, reply) => {
    const params = readParams(pageParams, request.query)
    const { account } = callerOf(request)
    const all = deps.managed?.faulty(account) ?? []
    return pageWithRange(all, { ...params, request, reply, basePath: deps.basePath }).map(({ id, faults }) => {
      const { name, type, activated } = deps.managed?.writtenName(account, id) ?? { name: id, type: '', activated: false }
      return { id, name, checkType: type, activated, faults: faults.slice(0, maxFaults) }
    })
  })
}

const doc: Doc = {
  group: 'Managed checks',
  summary: 'Checks that are stored, but not run',
  description:
    'Their definitions are no longer valid (see `faults`), so `GET /v1/checks` does not list them. By id. `PUT`, `restore` and `DELETE` fix or delete them.',
  query: pageParams,
  answer: {
    description: 'A page of them; empty past the end.',
    schema: { type: 'array', items: faultyCheckSchema },
    headers: rangeHeaders,
  },
}
