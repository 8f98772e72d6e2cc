import { paging } from '../analytics/plan.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { apiError } from '../errors.ts'
import { lastInstant } from '../instant.ts'
import type { Position, Result, ResultsQuery, Window } from '../store/store.ts'
import { pageParams } from './analytics.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { findCheck, idOf, idSchema } from './find-check.ts'
import { boolean, type Parsed, readParams, text, unixSeconds } from './params.ts'
import type { Routes } from './route.ts'
import { checkResultSchema } from './schemas.ts'

const filterParams = {
  limit: pageParams.limit,
  from: unixSeconds({ description: 'Results that started at this time or later, in unix seconds.' }),
  to: unixSeconds({ description: 'Results that started before this time, in unix seconds.' }),
  location: text({ description: 'Results of this location.' }),
  hasFailures: boolean({ description: 'Only those that failed, or only those that did not.', otherwise: null }),
}
const pagedParams = { ...filterParams, page: pageParams.page }
const cursorParams = { ...filterParams, nextId: text({ description: 'Where the last answer ended.', maxLength: 1024 }) }
const common = { group: 'Check results', path: { id: idSchema }, errors: ['INVALID_ID', 'INVALID_WINDOW', 'CHECK_NOT_FOUND'] as const }

export const checkResultRoutes: Routes = (app, { catalogue, store }) => {
  const pagedDoc = {
    ...common,
    summary: 'The results of a check, newest first, by page',
    query: pagedParams,
    answer: { description: 'A page of results.', schema: { type: 'array', items: checkResultSchema } },
  }
  app.get('/v1/check-results/:id', { config: { access: 'read', doc: pagedDoc } }, async (request) => {
    const id = idOf(request)
    const asked = readParams(pagedParams, request.query)
    const window = halfOpenWindow(asked)
    const check = findCheck(catalogue, request, id)
    const results = await store.results({ ...question(check, window, asked), before: null, paging: paging(asked) })
    return results.map((result) => describeResult(check, result))
  })
  const cursorDoc = {
    ...common,
    summary: 'The results of a check, newest first, by cursor',
    query: cursorParams,
    answer: {
      description: 'Some results, and the nextId to go on with; null at the end.',
      schema: {
        type: 'object',
        properties: {
          length: { type: 'integer' },
          entries: { type: 'array', items: checkResultSchema },
          nextId: { type: ['string', 'null'] },
        },
        required: ['length', 'entries', 'nextId'],
      },
    },
  }
  app.get('/v2/check-results/:id', { config: { access: 'read', doc: cursorDoc } }, async (request) => {
    const id = idOf(request)
    const asked = readParams(cursorParams, request.query)
    const window = halfOpenWindow(asked)
    const before = asked.nextId === null ? null : readCursor(asked.nextId)
    const check = findCheck(catalogue, request, id)
    const oneMore = { offset: 0, limit: asked.limit + 1 }
    const results = await store.results({ ...question(check, window, asked), before, paging: oneMore })
    const shown = results.slice(0, asked.limit)
    const last = shown.at(-1)
    return {
      length: shown.length,
      entries: shown.map((result) => describeResult(check, result)),
      nextId: last && results.length > shown.length ? encodeCursor(last) : null,
    }
  })
}

function question(
  check: Check,
  window: Window,
  { location, hasFailures }: Parsed<typeof filterParams>,
): Omit<ResultsQuery, 'before' | 'paging'> {
  return { check: refOf(check), window, location, hasFailures }
}

/** A window of the store holds both its ends; here `to` lies outside. */
function halfOpenWindow({ from, to }: Parsed<typeof filterParams>): Window {
  const window = { from: from ?? 0, to: (to ?? lastInstant) - 1 }
  if (window.from > window.to + 1) throw apiError('INVALID_WINDOW')
  return window
}

function readCursor(nextId: string): Position {
  const position = decodeCursor(nextId)
  if (!position) throw apiError('INVALID_PARAMETER', { name: 'nextId', expected: 'the nextId of an earlier answer' })
  return position
}

function describeResult({ id: checkId, name, checkType }: Check, result: Result) {
  const { startedAt, values } = result
  const duration = checkType.duration === null ? null : (values[checkType.duration] ?? null)
  const stoppedAt = new Date(startedAt + Math.round(duration ?? 0)).toISOString()
  return {
    id: result.id,
    name,
    checkId,
    hasFailures: result.hasFailures,
    hasErrors: result.hasErrors,
    isDegraded: result.isDegraded,
    overMaxResponseTime: result.overMaxResponseTime,
    runLocation: result.runLocation,
    startedAt: new Date(startedAt).toISOString(),
    stoppedAt,
    created_at: stoppedAt,
    responseTime: duration,
    attempts: result.attempts,
    checkRunId: result.id,
    resultType: 'FINAL',
    error: result.error,
    ...measured(checkType, result),
  }
}

/** What the type measured: each metric and field, null where this run did not; pages and a state where the type has them. */
function measured({ metrics, fields, states }: Check['checkType'], { values, pages, state }: Result) {
  const names = Object.keys(metrics)
  const pageNames = names.filter((name) => metrics[name]?.perPage)
  const runNames = [...names.filter((name) => !metrics[name]?.perPage), ...fields]
  return {
    ...pick(runNames, values),
    ...(Object.keys(states).length > 0 && { state }),
    ...(pageNames.length > 0 && { pages: pages.map((page) => ({ pageUrl: page.pageUrl, ...pick(pageNames, page.values) })) }),
  }
}

function pick(names: readonly string[], values: Readonly<Record<string, number>>): Readonly<Record<string, number | null>> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
}
