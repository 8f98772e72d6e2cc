import type { FastifyInstance } from 'fastify'
import { type MetricName, metricFinder, metricNames } from '../../analytics/metric-names.ts'
import { type AnalyticsRequest, plan } from '../../analytics/plan.ts'
import { aggregateReport, rawReport, reportColumns } from '../../analytics/report.ts'
import { chooseTimeOptions } from '../../analytics/time-options.ts'
import { rejectWithoutStates, timedReport } from '../../analytics/timed-report.ts'
import type { CheckType } from '../../checks/define.ts'
import { apiError } from '../../errors.ts'
import { callerOf } from '../hooks/auth.ts'
import { decoded } from '../input/fields.ts'
import { findCheck, idSchema, rejectOtherType, requestedId } from '../input/find-check.ts'
import { interval, list, listOf, oneOf, type Param, type Parsed, param, readParams, refused } from '../input/params.ts'
import { timeParams } from '../input/time-params.ts'
import { pageParams, windowParams } from '../input/window-params.ts'
import { formatParam, inFormat } from '../output/answer-format.ts'
import { reportSchema } from '../reference/report-schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

export const analyticsRoutes: Routes = (app, deps) => {
  for (const checkType of deps.checkTypes) addReport(app, deps, checkType)
}

function addReport(app: FastifyInstance, { catalogue, store, clock }: Deps, checkType: CheckType): void {
  const params = reportParams(checkType)
  const config = { access: 'read', doc: reportDoc(checkType, params) } as const
  app.get(`/v1/analytics/${checkType.path}/:id`, { config }, async (request, reply) => {
    const id = requestedId(request)
    rejectOtherType(catalogue, request, id, checkType)
    const read = readParams(params, request.query)
    const policies = catalogue.policies(callerOf(request).account.id)
    const time = chooseTimeOptions(read, policies)
    const check = findCheck(catalogue, request, id)
    const now = clock.now()
    const question = plan(check, analyticsRequest(checkType, read), now)
    const options = questionOptions(request, reply)
    if (time) rejectWithoutStates(question, time)
    const load = async () => {
      if (question.kind === 'raw') return rawReport(question, await store.raw(question.query, options))
      const { groups } = await store.aggregate(question.query, options)
      return time ? timedReport(question, groups, { store, policies, now, time, options }) : aggregateReport(question, groups)
    }
    return inFormat(request, reply, { answer: await load(), format: read.format, columns: () => reportColumns(question, time !== null) })
  })
}

type ReportParams = ReturnType<typeof reportParams>

function reportParams(checkType: CheckType) {
  const groups = checkType.groupBy.map(({ name }) => name)
  return {
    metrics: metricList(checkType),
    ...windowParams,
    aggregationInterval: interval({ description: 'The bucket size: minutes, or a whole day, week or month of the time zone.' }),
    fill: oneOf({ description: 'Include empty buckets, with counts of 0 and null values.', choices: ['null'], otherwise: null }),
    filterByStatus: listOf({
      description: 'Count only results with these outcomes.',
      choices: ['success', 'failure', ...Object.keys(checkType.states)],
    }),
    groupBy:
      groups.length === 0
        ? refused('left out: these checks have nothing to group by')
        : oneOf({ description: 'Group series by these.', choices: groups, otherwise: null }),
    ...pageParams,
    ...timeParams,
    ...formatParam,
  }
}

function metricList(checkType: CheckType): Param<readonly MetricName[]> {
  const names = metricNames(checkType).map(({ name }) => name)
  const find = metricFinder(checkType)
  const expected = `at least one metric name of ${checkType.type} checks, such as availability`
  const schema = { type: 'array', items: { type: 'string', enum: names } }
  const description = 'At least one metric name of this check type, such as availability.'
  const field = decoded(list({ description }), (requested) => {
    if (requested.length === 0) throw apiError('MISSING_PARAMETER', { name: 'metrics', expected })
    return requested.map(find)
  })
  return { ...param(description, field), schema, required: true, expected }
}

function analyticsRequest({ groupBy }: CheckType, params: Parsed<ReportParams>): AnalyticsRequest {
  const { metrics, quickRange, from, to, timezone, aggregationInterval, fill, filterByStatus, limit, page } = params
  return {
    metrics,
    quickRange,
    from,
    to,
    timezone,
    interval: aggregationInterval,
    fill: fill !== null,
    statuses: filterByStatus,
    groupBy: groupBy.find(({ name }) => name === params.groupBy) ?? null,
    limit,
    page,
  }
}

function reportDoc(checkType: CheckType, query: ReportParams): Doc {
  return {
    group: 'Analytics',
    summary: `Report of one ${checkType.label}`,
    description:
      'Aggregated if any metric has a suffix, or only availability and retries are requested; else one row per run, newest first.',
    path: { id: idSchema },
    query,
    answer: { description: 'The report.', schema: reportSchema, example: reportExample(checkType), otherTypes: ['text/csv'] },
    errors: ['INVALID_ID', 'UNKNOWN_METRIC', 'UNKNOWN_TIMEZONE', 'INVALID_WINDOW', 'QUERY_TOO_LARGE', 'CHECK_NOT_FOUND', 'WRONG_ENDPOINT'],
  }
}

function reportExample({ type, label, path }: CheckType) {
  return {
    checkId: `my-${path}`,
    name: `My ${label}`,
    checkType: type,
    activated: true,
    muted: false,
    frequency: 1,
    from: '2026-11-13T10:00:00.000Z',
    to: '2026-11-14T10:00:00.000Z',
    tags: ['web'],
    series: [{ data: [{ total: 1440, success: 1431, availability: 99.375 }] }],
    metadata: { availability: { unit: 'percentage', label: 'Availability' } },
    pagination: { page: 1, limit: 10 },
  }
}
