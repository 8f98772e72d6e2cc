import { chooseWindow } from '../../analytics/window.ts'
import { refOf } from '../../catalogue/catalogue.ts'
import type { FailureGroup } from '../../store/failures/failures.ts'
import { isoText } from '../../time.ts'
import { cursorParam, offsetCursor } from '../input/cursor.ts'
import { chooseChecks } from '../input/find-check.ts'
import { integer, list, listOf, readParams } from '../input/params.ts'
import { windowParams } from '../input/window-params.ts'
import { formatParam, inFormat } from '../output/answer-format.ts'
import { schemaColumns } from '../output/schema-columns.ts'
import { failureSchema, failuresSchema } from '../reference/report-schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const failureParams = ({ checkTypes }: Pick<Deps, 'checkTypes'>) => ({
  checkId: list({ description: 'Failures of these checks.' }),
  tag: list({ description: 'Failures of checks with any of these tags. Filters are combined with AND; without any, all checks.' }),
  checkType: listOf({ description: 'Failures of checks of these types.', choices: checkTypes.map(({ type }) => type) }),
  runLocation: list({ description: 'Failures at these locations.' }),
  ...windowParams,
  limit: integer({ description: 'Maximum number of reasons.', min: 1, max: 1000, otherwise: 100 }),
  cursor: cursorParam('The `next` cursor of the previous response; keeps its window.', offsetCursor),
  ...formatParam,
})

const columns = schemaColumns(failureSchema)

const docOf = (query: ReturnType<typeof failureParams>): Doc => ({
  group: 'Analytics',
  summary: 'Failing results by reason',
  description:
    'Errors that differ only in numbers, ids and addresses share a reason. Most frequent first, then newest. The example is the newest, with its original error.',
  query,
  answer: {
    description: 'A page of reasons, and the next cursor; null at the end.',
    schema: failuresSchema,
    otherTypes: ['text/csv'],
    example: {
      from: '2026-11-13T10:00:00.000Z',
      to: '2026-11-14T10:00:00.000Z',
      total: 12,
      failures: [
        {
          reason: 'no answer within # ms at first byte',
          count: 12,
          firstSeen: '2026-11-14T03:12:00.120Z',
          lastSeen: '2026-11-14T03:18:00.340Z',
          locations: ['eu-west-1', 'us-east-1'],
          checkIds: ['shop'],
          example: {
            checkId: 'shop',
            resultId: '0e8f9d3a-7c0b-8b1e-8f00-1d2c3b4a5968',
            startedAt: '2026-11-14T03:18:00.340Z',
            error: 'no answer within 30,000 ms at first byte',
          },
        },
      ],
      pagination: { limit: 100, next: null },
    },
  },
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'UNKNOWN_TIMEZONE', 'INVALID_CURSOR', 'QUERY_TOO_LARGE', 'CHECK_NOT_FOUND'],
})

export const failureRoutes: Routes = (app, { catalogue, store, clock, checkTypes }) => {
  const params = failureParams({ checkTypes })
  app.get('/v1/analytics/failures', { config: { access: 'read', doc: docOf(params) } }, async (request, reply) => {
    const query = readParams(params, request.query)
    const { window, offset } = query.cursor ?? { window: chooseWindow(query, clock.now()), offset: 0 }
    const isType = (type: string) => query.checkType.length === 0 || query.checkType.includes(type)
    const checks = chooseChecks(catalogue, request, query).filter(({ checkType }) => isType(checkType.type))
    const locations = query.runLocation.length === 0 ? null : query.runLocation
    const found = await store.failures({ sources: checks.map(refOf), window, locations }, questionOptions(request, reply))
    const end = offset + query.limit
    const answer = {
      from: isoText(window.from),
      to: isoText(window.to),
      total: found.reduce((total, { count }) => total + count, 0),
      failures: found.slice(offset, end).map(failureEntry),
      pagination: { limit: query.limit, next: found.length > end ? offsetCursor.encode({ offset: end, window }) : null },
    }
    return inFormat(request, reply, { answer, format: query.format, columns: () => columns })
  })
}

function failureEntry({ reason, count, firstAt, lastAt, locations, checkIds, example }: FailureGroup) {
  const { check, resultId, startedAt, error } = example
  return {
    reason,
    count,
    firstSeen: isoText(firstAt),
    lastSeen: isoText(lastAt),
    locations,
    checkIds,
    example: { checkId: check.checkId, resultId, startedAt: isoText(startedAt), error },
  }
}
