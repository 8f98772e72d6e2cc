import type { FastifyInstance } from 'fastify'
import { paging } from '../../analytics/plan.ts'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import type { QuestionOptions, Result, ResultsQuery, Window } from '../../store/store.ts'
import { lastInstant } from '../../time.ts'
import { cursorParam, resultCursor } from '../input/cursor.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { booleanParam, list, oneOf, type Parsed, readParams, text, unixSeconds } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { resultEntry } from '../output/result-entry.ts'
import { checkResultSchema, checkResultsSchema } from '../reference/check-schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const filterParams = ({ checkTypes }: Deps) => ({
  limit: pageParams.limit,
  from: unixSeconds({ description: 'Results started at or after this time, in unix seconds.' }),
  to: unixSeconds({ description: 'Results started before this time, in unix seconds.' }),
  location: text({ description: 'Results of this location.' }),
  hasFailures: booleanParam({ description: 'Only failed, or only successful results.', otherwise: null }),
  checkType: oneOf({
    description: 'Results of checks of this type: all or none, by the type of the check.',
    choices: checkTypes.map(({ type }) => type),
    otherwise: null,
  }),
  resultType: oneOf({
    description: 'Only final results are stored: ALL equals FINAL, and ATTEMPT returns none.',
    choices: ['FINAL', 'ATTEMPT', 'ALL'],
    otherwise: 'FINAL',
  }),
  fields: list({ description: 'Properties of an entry; default: all.' }),
})
type Filter = Parsed<ReturnType<typeof filterParams>>
const common = { group: 'Check results', path: { id: idSchema }, errors: ['INVALID_ID', 'INVALID_WINDOW', 'CHECK_NOT_FOUND'] as const }

export const checkResultRoutes: Routes = (app, deps) => {
  addByPage(app, deps)
  addByCursor(app, deps)
}

function addByPage(app: FastifyInstance, deps: Deps): void {
  const query = { ...filterParams(deps), page: pageParams.page }
  const doc: Doc = {
    ...common,
    summary: 'The results of a check, newest first, by page',
    query,
    answer: {
      description: 'A page of results; with `fields`, only those properties.',
      schema: { type: 'array', items: checkResultSchema },
    },
  }
  app.get('/v1/check-results/:id', { config: { access: 'read', doc } }, async (request, reply) => {
    const id = requestedId(request)
    const params = readParams(query, request.query)
    const window = halfOpenWindow(params)
    const check = findCheck(deps.catalogue, request, id)
    const results = await find(
      deps,
      { check, params, options: questionOptions(request, reply) },
      { window, before: null, rowPage: paging(params) },
    )
    return results.map((result) => resultEntry(check, result, params.fields))
  })
}

function addByCursor(app: FastifyInstance, deps: Deps): void {
  const query = { ...filterParams(deps), nextId: cursorParam('The nextId of the previous response.', resultCursor) }
  const doc: Doc = {
    ...common,
    errors: [...common.errors, 'INVALID_CURSOR'],
    summary: 'The results of a check, newest first, by cursor',
    query,
    answer: {
      description: 'A page of results, with `fields` only those properties, and the nextId cursor; null at the end.',
      schema: checkResultsSchema,
    },
  }
  app.get('/v2/check-results/:id', { config: { access: 'read', doc } }, async (request, reply) => {
    const id = requestedId(request)
    const params = readParams(query, request.query)
    const window = halfOpenWindow(params)
    const check = findCheck(deps.catalogue, request, id)
    const oneMore = { offset: 0, limit: params.limit + 1 }
    const results = await find(
      deps,
      { check, params, options: questionOptions(request, reply) },
      { window, before: params.nextId, rowPage: oneMore },
    )
    const page = results.slice(0, params.limit)
    const last = page.at(-1)
    return {
      length: page.length,
      entries: page.map((result) => resultEntry(check, result, params.fields)),
      nextId: last && results.length > page.length ? resultCursor.encode(last) : null,
    }
  })
}

async function find(
  { store }: Deps,
  { check, params, options }: { readonly check: Check; readonly params: Filter; readonly options: QuestionOptions },
  range: Pick<ResultsQuery, 'window' | 'before' | 'rowPage'>,
): Promise<readonly Result[]> {
  if (params.resultType === 'ATTEMPT' || (params.checkType ?? check.checkType.type) !== check.checkType.type) return []
  return store.results({ check: refOf(check), location: params.location, hasFailures: params.hasFailures, ...range }, options)
}

/** The store's windows include both ends; here `to` is exclusive. */
function halfOpenWindow({ from, to }: Filter): Window {
  const window = { from: from ?? 0, to: (to ?? lastInstant) - 1 }
  if (window.from > window.to + 1) throw apiError('INVALID_WINDOW')
  return window
}
