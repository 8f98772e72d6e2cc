import { quickRanges } from '../../analytics/resolve-window.ts'
import { planSummary, planTimeline, summaryEntries, summaryTimelines, type TimelineOptions } from '../../analytics/summary.ts'
import { chooseWindow } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { apiError } from '../../errors.ts'
import type { Window } from '../../store/store.ts'
import { callerOf } from '../hooks/auth.ts'
import { readId } from '../input/find-check.ts'
import { instant, interval, oneOf, type Parsed, readParams } from '../input/params.ts'
import { windowParams } from '../input/window-params.ts'
import { formatParam, inFormat } from '../output/answer-format.ts'
import { summarySchema } from '../reference/report-schemas.ts'
import type { Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const maxIds = 100

const params = {
  ...windowParams,
  aggregationInterval: interval({
    description: 'The bucket size: minutes, day, week or month; adds `data` to each line: availability by bucket, the first 100.',
  }),
  dataQuickRange: oneOf({ description: 'The window of `data`, if different.', choices: quickRanges, otherwise: null }),
  dataFrom: instant({ description: 'The first instant of that window; overrides dataQuickRange.' }),
  dataTo: instant({ description: 'The last instant of that window; overrides dataQuickRange.' }),
  ...formatParam,
}

const columns = ['checkId', 'checkType', 'availability']

const doc: Doc = {
  group: 'Analytics',
  summary: 'Summary of several checks',
  description: 'It reads only, though its verb is POST. A metric that does not apply to a type is absent; one without data is null.',
  query: params,
  body: {
    description: 'The checks. Unknown ids are ignored.',
    mediaType: 'application/json',
    schema: {
      type: 'object',
      properties: { checkIds: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: maxIds } },
      required: ['checkIds'],
    },
  },
  answer: {
    description: 'One line per known check, in the requested order.',
    schema: { type: 'array', items: summarySchema },
    otherTypes: ['text/csv'],
  },
  errors: [
    'INVALID_ID',
    'INVALID_BODY',
    'INVALID_WINDOW',
    'UNKNOWN_TIMEZONE',
    'QUERY_TOO_LARGE',
    'MISSING_PARAMETER',
    'MALFORMED_REQUEST',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
  ],
}

export const summaryRoutes: Routes = (app, { catalogue, store, clock }) => {
  app.post('/v1/analytics/checks', { config: { access: 'read', doc } }, async (request, reply) => {
    const query = readParams(params, request.query)
    const window = chooseWindow(query, clock.now())
    const timeline = chooseTimeline(query, window, clock.now())
    const account = callerOf(request).account.id
    const checks = readIds(request.body).flatMap((id) => catalogue.check(account, id) ?? [])
    const options = questionOptions(request, reply)
    const entries = summaryEntries(checks, await store.aggregate(planSummary(checks, window), options))
    const send = (answer: readonly object[]) => inFormat(request, reply, { answer, format: query.format, columns: () => columns })
    if (!timeline) return send(entries)
    const timelines = summaryTimelines(checks, await store.aggregate(planTimeline(checks, timeline), options), query.timezone)
    return send(entries.map((entry, i) => ({ ...entry, data: timelines[i] ?? [] })))
  })
}

/** Null without buckets. Their window is that of the figures unless another one is given. */
function chooseTimeline(query: Parsed<typeof params>, window: Window, now: number): TimelineOptions | null {
  const { aggregationInterval, dataQuickRange, dataFrom, dataTo, timezone } = query
  const hasOwnWindow = dataQuickRange !== null || dataFrom !== null || dataTo !== null
  if (aggregationInterval !== null) {
    const ownWindow = { quickRange: dataQuickRange ?? 'last24Hours', from: dataFrom, to: dataTo, timezone }
    return {
      window: hasOwnWindow ? chooseWindow(ownWindow, now) : window,
      interval: aggregationInterval,
      zone: timezone ?? utc,
      now,
    }
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
