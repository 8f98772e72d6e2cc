import { metricEntries } from '../../analytics/metric-names.ts'
import { readParams, requiredOneOf } from '../input/params.ts'
import { metricSchema } from '../reference/report-schemas.ts'
import type { Doc, Routes } from '../route.ts'

export const metricsListRoutes: Routes = (app, { checkTypes }) => {
  const query = {
    checkType: requiredOneOf({ description: 'The check type whose metrics are listed.', choices: checkTypes.map(({ type }) => type) }),
  }
  const doc: Doc = {
    group: 'Analytics',
    summary: 'The metrics of a check type',
    query,
    answer: { description: 'One entry per metric name.', schema: { type: 'array', items: metricSchema } },
  }
  app.get('/v1/analytics/metrics', { config: { access: 'read', doc } }, async (request) => {
    const { checkType } = readParams(query, request.query)
    return checkTypes.filter(({ type }) => type === checkType).flatMap(metricEntries)
  })
}
