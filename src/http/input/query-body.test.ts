import { describe, expect, test } from 'vitest'
import { testCheck } from '../../../test/support/catalogue.ts'
import { checkTypes } from '../../checks/registry.ts'
import { readObject } from './fields.ts'
import { chosenChecks, queryFields, requestOf } from './query-body.ts'

const read = (body: object) => readObject(queryFields(checkTypes), { metrics: ['availability', 'p95'], ...body })
const request = (body: object) => requestOf(read(body), 7)

test('a query has defaults', () => {
  const {
    checks: _,
    cursor: __,
    timezone: ___,
    ...rest
  } = { checks: null, cursor: null, timezone: null, ...(request({}) as unknown as Record<string, unknown>) }
  expect(rest).toEqual({
    metrics: ['availability', 'p95'],
    quickRange: 'last24Hours',
    ...{ from: null, to: null, interval: null, fill: false, groupBy: [], orderBy: null, limit: 100, offset: 7 },
    filter: { success: true, failure: true, locations: null, statusCodes: null },
    ...{ compare: null, confidence: null, bounds: null },
    ...{
      availabilityBy: 'runs',
      quorum: null,
      degraded: null,
      maintenance: null,
      minOutageSeconds: null,
      serviceHours: null,
      explain: null,
    },
  })
})

test.each([
  [{ filter: { status: ['success'] } }, { filter: { success: true, failure: false, locations: null, statusCodes: null } }],
  [{ filter: { status: ['failure'] } }, { filter: { success: false, failure: true, locations: null, statusCodes: null } }],
  [{ filter: { status: ['failure', 'success'] } }, { filter: { success: true, failure: true, locations: null, statusCodes: null } }],
  [
    { filter: { runLocation: ['eu'], statusCode: [0, 999] } },
    { filter: { success: true, failure: true, locations: ['eu'], statusCodes: [0, 999] } },
  ],
  [{ orderBy: { metric: 'p95' } }, { orderBy: { metric: 'p95', direction: 'desc' } }],
  [{ orderBy: { metric: 'total', direction: 'asc' } }, { orderBy: { metric: 'total', direction: 'asc' } }],
  [{ orderBy: { metric: 'success' } }, { orderBy: { metric: 'success', direction: 'desc' } }],
  [{ aggregationInterval: 60 }, { interval: 60 }],
  [{ aggregationInterval: 'week' }, { interval: 'week' }],
  [{ groupBy: ['check', 'hourOfDay'] }, { groupBy: ['check', 'hourOfDay'] }],
  [{ fill: null }, { fill: true }],
  [{ fill: 'null' }, { fill: true }],
  [
    { from: 1_794_650_400, to: '2026-11-15' },
    { from: 1_794_650_400_000, to: { date: '2026-11-15' } },
  ],
  [{ timezone: 'Europe/Berlin' }, { timezone: expect.objectContaining({ name: 'Europe/Berlin' }) }],
  [{ compare: 'previousPeriod' }, { compare: 'previousPeriod' }],
  [{ compare: { from: 1, to: '2026-11-15' } }, { compare: { from: 1000, to: { date: '2026-11-15' } } }],
  [{ bounds: [0, 1.5, 2] }, { bounds: [0, 1.5, 2] }],
  [{ limit: 1 }, { limit: 1 }],
  [{ limit: 1000 }, { limit: 1000 }],
  [{ confidence: 99.99 }, { confidence: 99.99 }],
  [{ quorum: 'majority' }, { quorum: 'majority' }],
  [{ quorum: 2 }, { quorum: 2 }],
])('%j becomes the request %j', (body, expected) => {
  expect(request(body)).toMatchObject(expected)
})

describe('a query is rejected', () => {
  test.each([
    [{ metrics: [] }, 'metrics must be a list of 1 to 200 items.'],
    [{ metrics: [''] }, 'metrics[0] must be the name of a metric, of at most 200 characters.'],
    [{ checks: { ids: [1] } }, 'checks.ids[0] must be the id of a check, of at most 200 characters.'],
    [{ checks: { tags: [1] } }, 'checks.tags[0] must be a tag, of at most 200 characters.'],
    [{ checks: { muted: 'yes' } }, 'checks.muted must be true or false.'],
    [{ filter: { status: [] } }, 'filter.status must be a list of 1 to 1000 items.'],
    [{ filter: { status: ['ok'] } }, 'filter.status[0] must be one of success, failure.'],
    [{ filter: { runLocation: [''] } }, 'filter.runLocation[0] must be the name of a location, of at most 200 characters.'],
    [{ filter: { runLocation: [] } }, 'filter.runLocation must be a list of 1 to 1000 items.'],
    [{ filter: { statusCode: [1000] } }, 'filter.statusCode[0] must be a whole number from 0 to 999.'],
    [{ filter: { statusCode: [] } }, 'filter.statusCode must be a list of 1 to 1000 items.'],
    [{ orderBy: { metric: 'p99' } }, 'orderBy.metric must be one of the requested metrics: availability, p95.'],
    [{ orderBy: {} }, 'orderBy.metric must be one of the requested metrics, of at most 200 characters.'],
    [{ orderBy: { metric: 'p95', direction: 'up' } }, 'orderBy.direction must be one of asc, desc.'],
    [{ groupBy: ['check', 'tag', 'hourOfDay'] }, 'groupBy must be a list of 0 to 2 items.'],
    [{ aggregationInterval: 0 }, 'aggregationInterval must be a whole number of minutes from 1 to 43200, or day, week or month.'],
    [{ aggregationInterval: 1.5 }, 'aggregationInterval must be a whole number of minutes from 1 to 43200, or day, week or month.'],
    [{ aggregationInterval: '60' }, 'aggregationInterval must be a whole number of minutes from 1 to 43200, or day, week or month.'],
    [{ fill: 0 }, 'fill must be null.'],
    [{ from: true }, 'from must be unix seconds, unix milliseconds, an ISO 8601 timestamp with Z or an offset, or a date YYYY-MM-DD.'],
    [{ to: `2026-11-15${' '.repeat(60)}` }, expect.stringMatching(/^to must be unix seconds/)],
    [{ compare: { from: 1 } }, expect.stringMatching(/^compare\.to must be unix seconds/)],
    [{ compare: null }, 'compare must be an object.'],
    [{ bounds: [1, 3, 2] }, 'bounds must be numbers in ascending order.'],
    [{ bounds: [2, 1] }, 'bounds must be numbers in ascending order.'],
    [{ bounds: [] }, 'bounds must be a list of 1 to 100 items.'],
    [{ bounds: [-1] }, `bounds[0] must be a number from 0 to ${Number.MAX_SAFE_INTEGER}.`],
    [{ limit: 0 }, 'limit must be a whole number from 1 to 1000.'],
    [{ limit: 1001 }, 'limit must be a whole number from 1 to 1000.'],
    [{ confidence: 0.5 }, 'confidence must be a number from 1 to 99.99.'],
    [{ confidence: 100 }, 'confidence must be a number from 1 to 99.99.'],
    [{ quorum: 0 }, 'quorum must be a whole number from 1, or majority.'],
    [{ quorum: 'most' }, 'quorum must be a whole number from 1, or majority.'],
    [{ minOutageSeconds: 0.5 }, `minOutageSeconds must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`],
    [{ availabilityBy: 'day' }, 'availabilityBy must be one of runs, time.'],
    [{ degraded: 'no' }, 'degraded must be one of up, down.'],
    [{ maintenance: 'no' }, 'maintenance must be one of exclude, include.'],
    [{ serviceHours: '' }, 'serviceHours must be the name of service hours, of at most 200 characters.'],
    [{ explain: 1 }, 'explain must be true or false.'],
    [{ timezone: '' }, 'timezone must be a time zone, of at most 200 characters.'],
  ])('%j: %s', (body, message) => {
    expect(() => request(body)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER', message }))
  })

  test('without metrics', () => {
    expect(() => readObject(queryFields(checkTypes), {})).toThrow(
      expect.objectContaining({
        code: 'MISSING_PARAMETER',
        message: 'metrics is required: at least one metric name, such as availability.',
      }),
    )
  })
})

test('parameters by time are passed on', () => {
  const time = {
    ...{ availabilityBy: 'time', quorum: 2, degraded: 'down', maintenance: 'include' },
    ...{ minOutageSeconds: 60, serviceHours: 'office', explain: true },
  }
  expect(read(time)).toMatchObject(time)
})

test.each([
  [null, ['a', 'b', 'c']],
  [{}, ['a', 'b', 'c']],
  [{ ids: ['a', 'c'] }, ['a', 'c']],
  [{ ids: [] }, []],
  [{ tags: ['web', 'db'] }, ['a', 'b']],
  [{ tags: [] }, []],
  [{ ids: ['b', 'c'], tags: ['web'] }, ['b']],
  [{ checkTypes: [checkTypes[1]?.type] }, ['c']],
  [{ checkTypes: [] }, []],
  [{ muted: true }, ['b']],
  [{ muted: false }, ['a', 'c']],
])('the selection %j has the checks %j', (chosen, ids) => {
  const [first, second] = checkTypes as unknown as readonly [(typeof checkTypes)[number], (typeof checkTypes)[number]]
  const checks = [
    testCheck(first, { id: 'a', tags: ['web', 'eu'], muted: false }),
    testCheck(first, { id: 'b', tags: ['db', 'web'], muted: true }),
    testCheck(second, { id: 'c', tags: [], muted: false }),
  ]
  const { checks: read_ } = read(chosen === null ? {} : { checks: chosen })
  expect(chosenChecks(checks, read_).map(({ id }) => id)).toEqual(ids)
})
