import { describe, expect, test, vi } from 'vitest'
import type { CheckType } from '../checks/define.ts'
import type { Unit } from '../checks/metric.ts'
import { checkTypes } from '../checks/registry.ts'
import type { FiledResult } from '../store/store.ts'
import { isRejection, rowReader } from './row.ts'

const now = Date.UTC(2026, 10, 14, 12)
const ref = { account: 'acme', checkId: 'c1' }
const base = { checkId: 'c1', startedAt: '2026-11-14T10:00:00.123Z', runLocation: 'eu-west-1', hasFailures: false }

test('an empty location is rejected, also in the first row of a process', async () => {
  vi.resetModules()
  const { rowReader } = await import('./row.ts')
  const [checkType] = checkTypes
  expect(
    rowReader({ account: 'acme', now, cardinality: null, typeOf: () => checkType }).read({ ...base, runLocation: '' }, 0),
  ).toMatchObject({
    code: 'INVALID_PROPERTY',
  })
})

test('the nearest names are listed only for the first hundred rows of a body', () => {
  const [checkType] = checkTypes
  const reader = rowReader({ account: 'acme', now, cardinality: null, typeOf: () => checkType })
  const messages = Array.from({ length: 300 }, (_, i) => {
    const read = reader.read({ ...base, [`attempts${i}${'x'.repeat(100_000)}`]: 1 }, i)
    return isRejection(read) ? read.message : ''
  })
  expect(messages.every((message) => message.length < 300)).toBe(true)
  expect(messages.map((message) => message.endsWith('Nearest: see the rows before.'))).toEqual(messages.map((_, i) => i >= 100))
})

describe.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))('a row of a check of type %s', (_, checkType) => {
  test('becomes a result', () => {
    expect(accept(checkType, base)).toMatchObject({
      check: ref,
      result: {
        id: null,
        startedAt: Date.UTC(2026, 10, 14, 10, 0, 0, 123),
        runLocation: 'eu-west-1',
        hasFailures: false,
        hasErrors: false,
        isDegraded: false,
        overMaxResponseTime: false,
        attempts: 1,
        error: null,
        values: {},
        pages: [],
      },
    })
  })

  test('may have every metric and field of its type, and null for what was not measured', () => {
    const names = [...Object.keys(checkType.metrics), ...checkType.fields]
    const { values, pages } = accept(checkType, { ...base, ...Object.fromEntries(names.map((name, index) => [name, index])) }).result
    expect({ ...values, ...pages[0]?.values }).toEqual(Object.fromEntries(names.map((name, index) => [name, index])))
    const unmeasured = accept(checkType, { ...base, ...Object.fromEntries(names.map((name) => [name, null])) }).result
    expect(unmeasured).toMatchObject({ values: {}, pages: [] })
  })

  test.each(Object.keys(checkType.metrics))('is rejected where %s is not a valid measurement', (metric) => {
    for (const value of ['12', true, [], {}, -1, -1e-9, Number.NaN, Number.POSITIVE_INFINITY, 1e300])
      expect(reject(checkType, { ...base, [metric]: value })).toMatchObject({
        code: 'INVALID_PROPERTY',
        message: expect.stringContaining(metric),
      })
  })

  test('lists the nearest names of an unknown metric', () => {
    const known = Object.keys(checkType.metrics)[0] ?? 'attempts'
    expect(reject(checkType, { ...base, [`${known}x`]: 1 })).toMatchObject({
      code: 'UNKNOWN_METRIC',
      message: expect.stringContaining(`Nearest: ${known}`),
    })
    for (const name of ['__proto__', 'constructor', 'toString', 'period', 'x'.repeat(10_000)])
      expect(reject(checkType, JSON.parse(`{"checkId":"c1","${name}":1}`)).message.length).toBeLessThan(300)
  })

  test('may be an exported row, whose derived values are ignored', () => {
    expect(accept(checkType, { ...base, availability: 100, retries: 0 })).toEqual(accept(checkType, base))
  })

  test('has a state if its type has states, given or derived from its outcome', () => {
    const states = Object.entries(checkType.states)
    for (const hasFailures of [true, false]) {
      const first = states.find(([, outcome]) => (outcome === 'failure') === hasFailures)?.[0] ?? null
      expect(accept(checkType, { ...base, hasFailures }).result.state).toBe(first)
    }
    for (const [state, outcome] of states) {
      const { hasFailures: _, ...silent } = base
      expect(accept(checkType, { ...silent, state }).result).toMatchObject({ state, hasFailures: outcome === 'failure' })
      expect(reject(checkType, { ...base, state, hasFailures: outcome !== 'failure' }).code).toBe('INVALID_PROPERTY')
    }
    expect(reject(checkType, { ...base, state: 'SOMETHING' }).code).toBe(states.length > 0 ? 'INVALID_PROPERTY' : 'UNKNOWN_METRIC')
  })
})

const plain = typeWith((checkType) => !checkType.pingSettings && perPageOf(checkType).length === 0)
const paged = typeWith((checkType) => perPageOf(checkType).length > 0)
const pinged = typeWith((checkType) => checkType.pingSettings !== undefined)

describe('a row', () => {
  test.each([null, 1, 'x', [], [base], undefined])('that is %j is malformed', (row) => {
    expect(reject(plain, row).code).toBe('MALFORMED_ROW')
  })

  test('of an unknown check, of one of another account, or without a check is rejected in the same way', () => {
    expect(reject(plain, { ...base, checkId: 'other' })).toEqual({
      code: 'UNKNOWN_CHECK',
      message: 'There is no check "other" in this account.',
    })
    expect(reject(plain, { ...base, checkId: 7 }).code).toBe('MISSING_PROPERTY')
    expect(reject(plain, { ...base, checkId: 'no spaces' }).code).toBe('MISSING_PROPERTY')
  })

  test.each([
    ['id', ['', 'a b', 'x'.repeat(129), 7, 'ü']],
    ['startedAt', ['', '2026-02-30T00:00:00Z', '2026-11-14', 'yesterday', null, true, -1, Number.NaN]],
    ['runLocation', ['', 'x'.repeat(129), 'a\nb', '\ud800', 7, null]],
    ['hasFailures', ['false', 0, null]],
    ['hasErrors', ['false', 0, null]],
    ['isDegraded', [1]],
    ['overMaxResponseTime', [1]],
    ['attempts', [0, -1, 1.5, '1', 1001, null]],
    ['error', ['x'.repeat(1001), 7, 'a\0b', '\udfff']],
  ] as const)('is rejected if %s is invalid', (name, values) => {
    for (const value of values)
      expect(reject(plain, { ...base, [name]: value })).toMatchObject({ code: 'INVALID_PROPERTY', message: expect.stringContaining(name) })
  })

  test.each(['startedAt', 'runLocation', 'hasFailures'] as const)('needs %s', (name) => {
    const { [name]: _, ...rest } = base
    expect(reject(plain, rest)).toMatchObject({ code: 'MISSING_PROPERTY', message: expect.stringContaining(name) })
  })

  test('may start up to 10 minutes in the future', () => {
    expect(accept(plain, { ...base, startedAt: now + 600_000 }).result.startedAt).toBe(now + 600_000)
    expect(reject(plain, { ...base, startedAt: now + 600_001 })).toMatchObject({
      code: 'START_IN_FUTURE',
      message: expect.stringContaining('2026-11-14T12:00:00.000Z'),
    })
  })

  test('may have its start in ISO 8601 with an offset, in Unix milliseconds or in Unix seconds', () => {
    for (const startedAt of [
      '2026-11-14T11:30:00.123+01:30',
      Date.UTC(2026, 10, 14, 10, 0, 0, 123),
      Date.UTC(2026, 10, 14, 10, 0, 0, 123) / 1000,
    ])
      expect(accept(plain, { ...base, startedAt })).toEqual(accept(plain, base))
  })

  test('keeps its id, and leaves it to the store to derive a missing one', () => {
    expect(accept(plain, { ...base, id: 'My_id-1' }).result.id).toBe('My_id-1')
    expect(accept(plain, { ...base, id: null })).toEqual(accept(plain, base))
  })

  test('keeps its error, up to 1,000 characters', () => {
    const error = 'é'.repeat(1000)
    expect(accept(plain, { ...base, hasFailures: true, error }).result.error).toBe(error)
    expect(accept(plain, { ...base, error: null }).result.error).toBeNull()
  })

  test('never stores a negative zero', () => {
    const [metric = ''] = Object.keys(plain.metrics)
    expect(Object.is(accept(plain, { ...base, [metric]: -0 }).result.values[metric], 0)).toBe(true)
  })

  test('of a check that receives pings needs no location', () => {
    const { runLocation: _, ...rest } = base
    expect(accept(pinged, rest).result.runLocation).toBe('ping')
  })
})

describe('a rejection states what is expected', () => {
  const [vital = ''] = perPageOf(paged)
  const withUnit = (unit: Unit) => {
    const checkType = typeWith(({ metrics }) => Object.values(metrics).some((metric) => metric.unit === unit))
    return [checkType, Object.keys(checkType.metrics).find((name) => checkType.metrics[name]?.unit === unit) ?? ''] as const
  }
  const [counting, count] = withUnit('count')
  const [rating, percentage] = withUnit('percentage')
  const [timing, milliseconds] = withUnit('milliseconds')
  const fielded = typeWith(({ fields }) => fields.length > 0)
  const start = 'an ISO 8601 timestamp with Z or an offset, or unix milliseconds, between the years 1970 and 9999'
  const location = 'a name of 1 to 128 characters without control characters'
  const orNull = 'or null if not measured'

  test.each([
    [plain, { id: 'a b' }, 'id must be 1 to 128 characters from A-Z, a-z, 0-9, _ and -, or null.'],
    [plain, { startedAt: 'now' }, `startedAt must be ${start}.`],
    [plain, { runLocation: '' }, `runLocation must be ${location}.`],
    [plain, { hasFailures: 1 }, 'hasFailures must be true or false.'],
    [plain, { attempts: 0 }, 'attempts must be a whole number from 1 to 1000.'],
    [plain, { error: 7 }, 'error must be a text of at most 1000 characters, or null.'],
    [plain, { checkId: undefined }, 'checkId is required: the id of a check.'],
    [fielded, { [fielded.fields[0] ?? '']: 1.5 }, `${fielded.fields[0]} must be a whole number or null.`],
    [counting, { [count]: 1.5 }, `${count} must be a whole number from 0, ${orNull}.`],
    [rating, { [percentage]: 100.5 }, `${percentage} must be a number from 0 to 100, ${orNull}.`],
    [timing, { [milliseconds]: -1 }, `${milliseconds} must be a number from 0, ${orNull}.`],
    [pinged, { state: 'x' }, `state must be one of ${Object.keys(pinged.states).join(', ')}.`],
    [paged, { pageUrl: 7 }, 'pageUrl must be a text of at most 4096 characters.'],
    [paged, { pageIndex: 1 }, 'pageIndex must be 0 or null: send all pages of a run together, as its pages.'],
    [paged, { pages: {} }, `pages must be a list of at most 100 pages, each an object with pageUrl and of ${perPageOf(paged).join(', ')}.`],
    [paged, { pages: [], [vital]: 1 }, 'pages must be alone: measurements of a page belong in its entry there.'],
    [paged, { pages: [], pageUrl: '/' }, 'pages must be alone: measurements of a page belong in its entry there.'],
  ] as const)('%# %j', (checkType, wrong, message) => {
    expect(reject(checkType, { ...base, ...wrong }).message).toBe(message)
  })

  test('also for missing properties', () => {
    const without = (name: keyof typeof base) => Object.fromEntries(Object.entries(base).filter(([key]) => key !== name))
    expect(reject(plain, without('startedAt')).message).toBe(`startedAt is required: ${start}.`)
    expect(reject(plain, without('runLocation')).message).toBe(`runLocation is required: ${location}.`)
    expect(reject(plain, without('hasFailures')).message).toBe('hasFailures is required: true or false.')
    expect(reject(plain, []).message).toBe('This row is not a JSON object: it must be an object such as {"checkId": …, "startedAt": …}.')
  })

  test('also for an outcome that contradicts the state', () => {
    const [state = ''] = Object.keys(pinged.states).filter((name) => pinged.states[name] === 'failure')
    expect(reject(pinged, { ...base, state, hasFailures: false }).message).toBe(`hasFailures must be true where state is ${state}.`)
  })

  test('and quotes at most 60 characters of an id or name', () => {
    const long = 'x'.repeat(61)
    expect(reject(plain, { ...base, checkId: long }).message).toBe(`There is no check "${'x'.repeat(60)}…" in this account.`)
    expect(reject(plain, { ...base, checkId: 'x'.repeat(60) }).message).toBe(`There is no check "${'x'.repeat(60)}" in this account.`)
    expect(reject(plain, { ...base, [long]: 1 }).message).toContain(
      `"${'x'.repeat(60)}…" is no property of a result of ${plain.type} checks.`,
    )
  })
})

describe('the limits of a row', () => {
  const most = Number.MAX_SAFE_INTEGER
  const [metric = ''] = Object.keys(plain.metrics).filter((name) => plain.metrics[name]?.unit === 'milliseconds')
  const fielded = typeWith(({ fields }) => fields.length > 0)
  const [field = ''] = fielded.fields

  test('are inclusive', () => {
    expect(accept(plain, { ...base, attempts: 1000, [metric]: most }).result).toMatchObject({ attempts: 1000, values: { [metric]: most } })
    expect(accept(plain, { ...base, id: 'x'.repeat(128), runLocation: 'x'.repeat(128) }).result.id).toHaveLength(128)
    for (const value of [-2_147_483_648, 2_147_483_647, 0])
      expect(accept(fielded, { ...base, [field]: value }).result.values[field]).toBe(value)
    const pages = Array.from({ length: 100 }, () => ({ pageUrl: 'x'.repeat(4096) }))
    expect(accept(paged, { ...base, pages }).result.pages).toHaveLength(100)
    expect(accept(plain, { ...base, error: '' }).result.error).toBeNull()
  })

  test('reject what is beyond', () => {
    for (const value of [-2_147_483_649, 2_147_483_648, '1', true])
      expect(reject(fielded, { ...base, [field]: value }).code).toBe('INVALID_PROPERTY')
    expect(reject(plain, { ...base, [metric]: most + 1 }).code).toBe('INVALID_PROPERTY')
    for (const pageUrl of ['x'.repeat(4097), 'a\0b']) {
      expect(reject(paged, { ...base, pageUrl }).code).toBe('INVALID_PROPERTY')
      expect(reject(paged, { ...base, pages: [{ pageUrl }] }).code).toBe('INVALID_PROPERTY')
    }
  })
})

describe('a row with pages', () => {
  const [vital = ''] = perPageOf(paged)

  test('keeps them in the order of visits, with their measurements', () => {
    const pages = [{ pageUrl: 'https://a.example/', [vital]: 12.5 }, { pageUrl: 'https://a.example/next', [vital]: null }, {}]
    expect(accept(paged, { ...base, pages }).result.pages).toEqual([
      { pageUrl: 'https://a.example/', values: { [vital]: 12.5 } },
      { pageUrl: 'https://a.example/next', values: {} },
      { pageUrl: '', values: {} },
    ])
  })

  test('may describe a single page itself', () => {
    expect(accept(paged, { ...base, [vital]: 3 }).result.pages).toEqual([{ pageUrl: '', values: { [vital]: 3 } }])
    const grouped = { ...base, pageUrl: 'https://a.example/', pageIndex: 0, [vital]: 3 }
    expect(accept(paged, grouped).result.pages).toEqual([{ pageUrl: 'https://a.example/', values: { [vital]: 3 } }])
  })

  test('is rejected if it is a later page of a run on its own', () => {
    expect(reject(paged, { ...base, pageUrl: '/', pageIndex: 1, [vital]: 3 }).message).toContain('pageIndex must be 0')
  })

  test('is rejected if it describes pages twice', () => {
    expect(reject(paged, { ...base, pages: [], [vital]: 3 }).code).toBe('INVALID_PROPERTY')
  })

  test.each([
    ['not a list', {}],
    ['a text', 'pages'],
    ['more than 100', Array.from({ length: 101 }, () => ({}))],
    ['not objects', [1]],
    ['null', [null]],
    ['a metric of the run', [{ responseTime: 1 }]],
    ['a negative measure', [{ [vital]: -1 }]],
    ['an address that is no text', [{ pageUrl: 7 }]],
  ])('is rejected if pages are %s', (_, pages) => {
    expect(reject(paged, { ...base, pages })).toMatchObject({ code: 'INVALID_PROPERTY', message: expect.stringContaining('pages must be') })
  })

  test('is rejected for a type without pages', () => {
    expect(reject(plain, { ...base, pages: [] }).code).toBe('UNKNOWN_METRIC')
  })
})

function read(checkType: CheckType, row: unknown) {
  return rowReader({ account: 'acme', now, cardinality: null, typeOf: (checkId) => (checkId === 'c1' ? checkType : undefined) }).read(
    row,
    0,
  )
}

function accept(checkType: CheckType, row: unknown): FiledResult {
  const verdict = read(checkType, row)
  if (isRejection(verdict)) throw new Error(verdict.message)
  return verdict
}

function reject(checkType: CheckType, row: unknown) {
  const verdict = read(checkType, row)
  if (!isRejection(verdict)) throw new Error('it was accepted')
  return verdict
}

function perPageOf({ metrics }: CheckType): readonly string[] {
  return Object.keys(metrics).filter((name) => metrics[name]?.perPage)
}

function typeWith(wanted: (checkType: CheckType) => boolean): CheckType {
  const found = checkTypes.find(wanted)
  if (!found) throw new Error('no type is like that')
  return found
}
