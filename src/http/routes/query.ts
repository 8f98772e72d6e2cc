import { queryAnswer, queryColumns } from '../../analytics/query/answer.ts'
import { planQuery } from '../../analytics/query/plan-query.ts'
import { rejectQueryWithoutStates, withTime } from '../../analytics/query/timed.ts'
import { chooseTimeOptions } from '../../analytics/time-options.ts'
import type { AggregateQuery } from '../../store/store.ts'
import { callerOf } from '../hooks/auth.ts'
import { offsetCursor } from '../input/cursor.ts'
import { objectSchema, readObject } from '../input/fields.ts'
import { readParams } from '../input/params.ts'
import { chosenChecks, queryFields, requestOf } from '../input/query-body.ts'
import { formatParam, inFormat } from '../output/answer-format.ts'
import { queryAnswerSchema } from '../reference/report-schemas.ts'
import type { Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

export const queryRoutes: Routes = (app, { catalogue, store, clock, checkTypes }) => {
  const fields = queryFields(checkTypes)
  app.post('/v1/analytics/query', { config: { access: 'read', doc: docOf(fields) } }, async (request, reply) => {
    const { format } = readParams(formatParam, request.query)
    const body = readObject(fields, request.body)
    const checks = chosenChecks(catalogue.checks(callerOf(request).account.id), body.checks)
    const started = performance.now()
    const now = clock.now()
    const policies = catalogue.policies(callerOf(request).account.id)
    const time = chooseTimeOptions(body, policies)
    const plan = planQuery(requestOf(body, body.cursor?.offset ?? 0), {
      checks,
      allTypes: checkTypes,
      now,
      window: body.cursor?.window ?? null,
      isByTime: time !== null,
    })
    const options = questionOptions(request, reply)
    if (time) rejectQueryWithoutStates(plan, time)
    const load = async (query: AggregateQuery) => {
      const answer = await store.aggregate(query, options)
      return time ? withTime(plan, query, answer, { store, policies, now, time, options }) : answer
    }
    const [answer, compared] = await Promise.all([load(plan.query), plan.compared ? load(plan.compared.query) : null])
    const milliseconds = Math.round((performance.now() - started) * 1000) / 1000
    const measured = { answer, compared, degraded: time?.degraded ?? 'up', milliseconds }
    const nextCursor = (offset: number) => offsetCursor.encode({ offset, window: plan.window })
    return inFormat(request, reply, {
      answer: await queryAnswer(plan, { ...measured, nextCursor }),
      format,
      columns: () => queryColumns(plan, time !== null),
    })
  })
}

function docOf(fields: ReturnType<typeof queryFields>): Doc {
  return {
    group: 'Analytics',
    summary: 'Metrics of several checks in one query',
    description:
      'It reads only, though its verb is POST. Percentiles are computed over all results of a group. duration_* is the duration metric of each type.',
    query: formatParam,
    body: {
      description: 'The query.',
      mediaType: 'application/json',
      schema: { ...objectSchema(fields), required: ['metrics'] },
      example: { checks: { tags: ['shop'] }, metrics: ['availability', 'duration_p95'], quickRange: 'last7Days', groupBy: ['check'] },
    },
    answer: { description: 'The metrics, by group.', schema: queryAnswerSchema, otherTypes: ['text/csv'] },
    errors: [
      'INVALID_BODY',
      'UNKNOWN_PROPERTY',
      'MISSING_PARAMETER',
      'INVALID_PARAMETER',
      'UNKNOWN_METRIC',
      'METRIC_NOT_SHARED',
      'UNKNOWN_TIMEZONE',
      'INVALID_WINDOW',
      'INVALID_CURSOR',
      'QUERY_TOO_LARGE',
      'MALFORMED_REQUEST',
      'BODY_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  }
}
