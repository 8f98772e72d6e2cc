import type { FastifyInstance } from 'fastify'
import { type MetricName, metricEntries, metricFinder, metricNames } from '../../analytics/metric-names.ts'
import { type AnalyticsRequest, plan } from '../../analytics/plan.ts'
import { quickRanges } from '../../analytics/quick-range.ts'
import { aggregateReport, rawReport } from '../../analytics/report.ts'
import type { CheckType } from '../../checks/define.ts'
import { apiError } from '../../errors.ts'
import { instant, integer, items, listOf, oneOf, type Param, type Parsed, readParams, refused, requiredOneOf } from '../params.ts'
import { metricEntrySchema, reportSchema } from '../reference/schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { findCheck, idOf, idSchema, refuseOtherType } from './find-check.ts'

export const analyticsRoutes: Routes = (app, deps) => {
  for (const checkType of deps.checkTypes) addReport(app, deps, checkType)
  addMetricsList(app, deps)
}

/** The parameters of a window of time, the same wherever one is asked for. */
export const windowParams = {
  quickRange: oneOf({
    description: 'A window by name, in UTC; weeks start on Monday.',
    choices: quickRanges,
    otherwise: 'last24Hours',
  }),
  from: instant({ description: 'The first instant of the window; overrides quickRange.', edge: 'from' }),
  to: instant({ description: 'The last instant of the window; overrides quickRange.', edge: 'to' }),
}

export const pageParams = {
  limit: integer({ description: 'How many rows.', min: 1, max: 100, otherwise: 10 }),
  page: integer({ description: 'Which of the pages, from 1.', min: 1, otherwise: 1 }),
}

function addReport(app: FastifyInstance, { catalogue, store, clock }: Deps, checkType: CheckType): void {
  const params = reportParams(checkType)
  app.get(`/v1/analytics/${checkType.path}/:id`, { config: { access: 'read', doc: reportDoc(checkType, params) } }, async (request) => {
    const id = idOf(request)
    refuseOtherType(catalogue, request, id, checkType)
    const asked = analyticsRequest(checkType, readParams(params, request.query))
    const check = findCheck(catalogue, request, id)
    const question = plan(check, asked, clock.now())
    if (question.kind === 'raw') return rawReport(question, await store.raw(question.query))
    return aggregateReport(question, await store.aggregate(question.query))
  })
}

type ReportParams = ReturnType<typeof reportParams>

function reportParams(checkType: CheckType) {
  const groups = checkType.groupBy.map(({ name }) => name)
  return {
    metrics: metricList(checkType),
    ...windowParams,
    aggregationInterval: integer({ description: 'The width of a bucket in minutes.', min: 1, max: 43_200, otherwise: null }),
    filterByStatus: listOf({
      description: 'Counts only results of these outcomes.',
      choices: ['success', 'failure', ...Object.keys(checkType.states)],
    }),
    groupBy:
      groups.length === 0
        ? refused('left out: these checks have nothing to group by')
        : oneOf({ description: 'One series for each of these.', choices: groups, otherwise: null }),
    ...pageParams,
  }
}

function metricList(checkType: CheckType): Param<readonly MetricName[]> {
  const names = metricNames(checkType).map(({ name }) => name)
  const find = metricFinder(checkType)
  const expected = `at least one metric name of ${checkType.type} checks, such as availability`
  return {
    ...listOf({ description: 'At least one metric name of this check type, such as availability.', choices: names }),
    required: true,
    expected,
    parse: (name, values) => {
      const found = items(values)
      if (found.length === 0) throw apiError('MISSING_PARAMETER', { name, expected })
      return found.map(find)
    },
  }
}

function analyticsRequest({ groupBy }: CheckType, asked: Parsed<ReportParams>): AnalyticsRequest {
  return {
    ...asked,
    intervalMinutes: asked.aggregationInterval,
    statuses: asked.filterByStatus,
    groupBy: groupBy.find(({ name }) => name === asked.groupBy) ?? null,
  }
}

function reportDoc(checkType: CheckType, query: ReportParams): Doc {
  return {
    group: 'Analytics',
    summary: `The report of one ${checkType.label}`,
    description:
      'Aggregated where any metric has a suffix, or only availability and retries are asked for; else one row per run, newest first.',
    path: { id: idSchema },
    query,
    answer: { description: 'The report.', schema: reportSchema, example: reportExample(checkType) },
    errors: ['INVALID_ID', 'UNKNOWN_METRIC', 'INVALID_WINDOW', 'CHECK_NOT_FOUND', 'WRONG_ENDPOINT'],
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

function addMetricsList(app: FastifyInstance, { checkTypes }: Deps): void {
  const query = {
    checkType: requiredOneOf({ description: 'The check type whose metrics are listed.', choices: checkTypes.map(({ type }) => type) }),
  }
  const doc: Doc = {
    group: 'Analytics',
    summary: 'The metrics of a check type',
    query,
    answer: { description: 'One entry per metric name.', schema: { type: 'array', items: metricEntrySchema } },
  }
  app.get('/v1/analytics/metrics', { config: { access: 'read', doc } }, async (request) => {
    const { checkType } = readParams(query, request.query)
    return checkTypes.filter(({ type }) => type === checkType).flatMap(metricEntries)
  })
}
