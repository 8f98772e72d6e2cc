import { quickRanges } from '../../analytics/quick-range.ts'
import { planSummary, planTimeline, summaryEntry, summaryTimeline } from '../../analytics/summary.ts'
import { chooseWindow } from '../../analytics/window.ts'
import { apiError } from '../../errors.ts'
import type { Window } from '../../store/store.ts'
import { instant, integer, oneOf, type Parsed, readParams } from '../params.ts'
import { summarySchema } from '../reference/schemas.ts'
import { callerOf, type Doc, type Routes } from '../route.ts'
import { readId } from './find-check.ts'
import { windowParams } from './window-params.ts'

const maxIds = 100

const params = {
  ...windowParams,
  aggregationInterval: integer({
    description: 'The width of a bucket in minutes; with it, each line holds data: its availability bucket by bucket, the first 100.',
    min: 1,
    max: 43_200,
    otherwise: null,
  }),
  dataQuickRange: oneOf({ description: 'The window of data, where it is not that of the figures.', choices: quickRanges, otherwise: null }),
  dataFrom: instant({ description: 'The first instant of that window; overrides dataQuickRange.', edge: 'from' }),
  dataTo: instant({ description: 'The last instant of that window; overrides dataQuickRange.', edge: 'to' }),
}

const doc: Doc = {
  group: 'Analytics',
  summary: 'A line for each of many checks',
  description: 'It reads only, though its verb is POST. A figure that does not apply to a type is absent; one without data is null.',
  query: params,
  body: {
    description: 'Which checks. Unknown ids are left out of the answer.',
    mediaType: 'application/json',
    schema: {
      type: 'object',
      properties: { checkIds: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: maxIds } },
      required: ['checkIds'],
    },
  },
  answer: { description: 'One line per known check, in the order asked.', schema: { type: 'array', items: summarySchema } },
  errors: [
    'INVALID_ID',
    'INVALID_BODY',
    'INVALID_WINDOW',
    'MISSING_PARAMETER',
    'MALFORMED_REQUEST',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
}

export const summaryRoutes: Routes = (app, { catalogue, store, clock }) => {
  app.post('/v1/analytics/checks', { config: { access: 'read', doc } }, async (request) => {
    const query = readParams(params, request.query)
    const window = chooseWindow(query, clock.now())
    const timeline = chooseTimeline(query, window, clock.now())
    const account = callerOf(request).account.id
    const checks = readIds(request.body).flatMap((id) => catalogue.check(account, id) ?? [])
    const summaries = await store.aggregateMany(checks.map((check) => planSummary(check, window)))
    const timelines =
      timeline && (await store.aggregateMany(checks.map((check) => planTimeline(check, timeline.window, timeline.intervalMinutes))))
    return checks.map((check, i) => {
      const entry = summaryEntry(check, summaries[i] ?? [])
      return timelines === null ? entry : { ...entry, data: summaryTimeline(timelines[i] ?? []) }
    })
  })
}

type Timeline = { readonly window: Window; readonly intervalMinutes: number }

/** The buckets of each entry, if any: those of the figures' window unless another one is given. */
function chooseTimeline(query: Parsed<typeof params>, window: Window, now: number): Timeline | null {
  const { aggregationInterval, dataQuickRange, dataFrom, dataTo } = query
  const hasOwnWindow = dataQuickRange !== null || dataFrom !== null || dataTo !== null
  if (aggregationInterval !== null) {
    const ownWindow = { quickRange: dataQuickRange ?? 'last24Hours', from: dataFrom, to: dataTo }
    return { window: hasOwnWindow ? chooseWindow(ownWindow, now) : window, intervalMinutes: aggregationInterval }
  }
  if (hasOwnWindow)
    throw apiError('MISSING_PARAMETER', { name: 'aggregationInterval', expected: 'the width in minutes of the buckets in data' })
  return null
}

function readIds(body: unknown): readonly string[] {
  const ids = typeof body === 'object' && body !== null && 'checkIds' in body ? body.checkIds : undefined
  if (!Array.isArray(ids) || ids.length < 1 || ids.length > maxIds) {
    throw apiError('INVALID_BODY', { reason: `Send {"checkIds": […]} with 1 to ${maxIds} ids of checks.` })
  }
  return [...new Set(ids.map(readId))]
}
