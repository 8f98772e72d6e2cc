import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'

const now = Date.parse('2026-11-14T10:20:30.456Z')
const checks = checkTypes.map((checkType) => testCheck(checkType))
let api: TestApp
beforeAll(async () => {
  const results = checks.flatMap((check) => [
    testResult(check, now - 60_000),
    testResult(check, now - 120_000, { hasFailures: true, attempts: 2, state: failingState(check.checkType) }),
  ])
  api = await openTestApp({ catalogue: testCatalogue({ checks }), results, now })
})
afterAll(() => api.close())

function failingState({ states }: CheckType): string | null {
  return Object.keys(states).find((state) => states[state] === 'failure') ?? null
}

describe.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))('%s', (_, checkType) => {
  const ask = (query: string) => api.get(`/v1/analytics/${checkType.path}/check-${checkType.path}?${query}`)
  const [first, second] = [checkType.duration ? `${checkType.duration}_p95` : 'retries', 'availability']

  test('all spellings of a list are equivalent', async () => {
    const spellings = [
      `metrics=${first},${second}`,
      `metrics=${first}%2C${second}`,
      `metrics=${first}&metrics=${second}`,
      `metrics[]=${first}&metrics[]=${second}`,
      `metrics%5B%5D=${first}&metrics%5B%5D=${second}`,
      `metrics[]=${first},${second}`,
      `metrics=${first},${second},${first}`,
      `metrics=${first},${second}&`,
    ]
    const answers = await Promise.all(spellings.map(ask))
    expect(answers.map(({ status }) => status)).toEqual(spellings.map(() => 200))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(Object.keys(answers[0]?.body.metadata)).toEqual([first, second])
  })
  test('all spellings of filterByStatus are equivalent', async () => {
    const spellings = [
      '=success,failure',
      '=success%2Cfailure',
      '=success&filterByStatus[]=failure',
      '[]=success,failure',
      '%5B%5D=success&filterByStatus%5B%5D=failure',
    ]
    const totals = await Promise.all(spellings.map(async (spelling) => total(await ask(`metrics=availability&filterByStatus${spelling}`))))
    expect(totals).toEqual(spellings.map(() => 2))
    expect(total(await ask('metrics=availability&filterByStatus=success'))).toBe(1)
    expect(total(await ask('metrics=availability&filterByStatus=failure'))).toBe(1)
    expect((await ask('metrics=availability&filterByStatus=bad')).body.code).toBe('INVALID_PARAMETER')
  })
  test('filterByStatus accepts only the states of this type', async () => {
    const every = new Set(checkTypes.flatMap(({ states }) => Object.keys(states)))
    for (const state of every) {
      const answer = await ask(`metrics=availability&filterByStatus=${state}`)
      expect([state, answer.status]).toEqual([state, Object.hasOwn(checkType.states, state) ? 200 : 400])
      if (answer.status === 200) expect(total(answer)).toBe(state === failingState(checkType) ? 1 : 0)
    }
  })
  test('metrics are required, at least one', async () => {
    for (const query of ['', 'metrics=', 'metrics[]=', 'metrics=,']) expect((await ask(query)).body.code).toBe('MISSING_PARAMETER')
  })
  test('an unknown metric name lists the nearest names of that type', async () => {
    const { status, body } = await ask('metrics=availabilty')
    expect([status, body.code]).toEqual([400, 'UNKNOWN_METRIC'])
    expect(body.message).toContain('availability')
  })
  test('an unknown parameter is 400 and suggests the nearest known one', async () => {
    const { status, body } = await ask('metrics=availability&quickrange=last7Days')
    expect([status, body.code]).toEqual([400, 'UNKNOWN_PARAMETER'])
    expect(body.message).toContain('Nearest: quickRange')
  })
  test.each(['limit', 'page', 'aggregationInterval'])('%s accepts plain decimal digits only', async (name) => {
    for (const value of ['0x10', '1e2', '%205', '5.0', 'Infinity', '+5', '%2B5', '-1', '0', '', 'five']) {
      const { status, body } = await ask(`metrics=availability&${name}=${value}`)
      expect([name, value, status, body.code]).toEqual([name, value, 400, 'INVALID_PARAMETER'])
    }
    expect((await ask(`metrics=availability&${name}=5`)).status).toBe(200)
  })
  test('numbers outside their bounds are 400', async () => {
    for (const query of ['limit=101', 'aggregationInterval=43201']) expect((await ask(`metrics=availability&${query}`)).status).toBe(400)
    for (const query of ['limit=100', 'aggregationInterval=43200', 'page=1000000000']) {
      expect((await ask(`metrics=availability&${query}`)).status).toBe(200)
    }
  })
  test('a scalar parameter given twice is 400', async () => {
    for (const one of ['quickRange=last7Days', 'from=0', 'to=1', 'aggregationInterval=5', 'limit=5', 'page=1']) {
      expect((await ask(`metrics=availability&${one}&${one}`)).body.code).toBe('REPEATED_PARAMETER')
    }
  })
  test('limit is 10 and page 1 unless given', async () => {
    expect((await ask('metrics=availability')).body.pagination).toEqual({ page: 1, limit: 10 })
    expect((await ask('metrics=availability&limit=3&page=2')).body.pagination).toEqual({ page: 2, limit: 3 })
  })
  test.each([
    ['', '2026-11-13T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['quickRange=last24Hours', '2026-11-13T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['quickRange=last7Days', '2026-11-07T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['quickRange=last30Days', '2026-10-15T10:20:30.456Z', '2026-11-14T10:20:30.456Z'],
    ['quickRange=thisWeek', '2026-11-09T00:00:00.000Z', '2026-11-14T10:20:30.456Z'],
    ['quickRange=thisMonth', '2026-11-01T00:00:00.000Z', '2026-11-14T10:20:30.456Z'],
    ['quickRange=lastWeek', '2026-11-02T00:00:00.000Z', '2026-11-08T23:59:59.999Z'],
    ['quickRange=lastMonth', '2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z'],
    ['from=1700000000&to=1700000001.5', '2023-11-14T22:13:20.000Z', '2023-11-14T22:13:21.500Z'],
    ['from=1700000000123&to=1700000000124', '2023-11-14T22:13:20.123Z', '2023-11-14T22:13:20.124Z'],
    ['from=2024-02-29&to=2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['from=2026-01-01T00:00:00%2B01:00&to=2026-01-01T00:00Z', '2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ['from=2026-01-01T00:00:00+01&to=2026-01-01T00:00:00-0100', '2025-12-31T23:00:00.000Z', '2026-01-01T01:00:00.000Z'],
    ['from=2026-11-14&quickRange=lastMonth', '2026-11-14T00:00:00.000Z', '2026-11-14T10:20:30.456Z'],
    ['to=2026-11-10T00:00:00.000Z', '2026-11-09T00:00:00.000Z', '2026-11-10T00:00:00.000Z'],
  ])('the window of %j', async (query, from, to) => {
    const { body } = await ask(`metrics=availability&${query}`)
    expect([body.from, body.to]).toEqual([from, to])
  })
  test.each([
    'quickRange=lastYear',
    'quickRange=',
    'from=2024-02-30',
    'from=1969-12-31',
    'to=10000-01-01',
    'from=',
    'from=yesterday',
    'from=1e9',
    'to=2024-01-01T00:00:00',
  ])('%s is 400', async (query) => {
    const { status, body } = await ask(`metrics=availability&${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_PARAMETER'])
  })
  test('from after to is 400', async () => {
    for (const query of ['from=2&to=1', 'from=2027-01-01'])
      expect((await ask(`metrics=availability&${query}`)).body.code).toBe('INVALID_WINDOW')
  })
  test('a window includes both its ends', async () => {
    const [early, late] = [now - 120_000, now - 60_000]
    expect(total(await ask(`metrics=availability&from=${early}&to=${late}`))).toBe(2)
    expect(total(await ask(`metrics=availability&from=${early + 1}&to=${late}`))).toBe(1)
    expect(total(await ask(`metrics=availability&from=${early}&to=${late - 1}`))).toBe(1)
    expect(total(await ask(`metrics=availability&from=${early + 1}&to=${late - 1}`))).toBe(0)
  })
})

function total({ body }: { readonly body: { readonly series: readonly { readonly data: readonly { readonly total: number }[] }[] } }) {
  return body.series[0]?.data[0]?.total
}
