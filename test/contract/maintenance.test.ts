import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, testCatalogue, testCheck, testKey, testSlo } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { zoneOf } from '../support/zone.ts'

const hourMs = 3_600_000
const now = Date.parse('2026-10-26T12:00:00Z')
const at = (text: string) => Date.parse(text)
const checks = ['home', 'checkout'].map((id) => testCheck(anyRunType(), { id, tags: id === 'checkout' ? ['shop'] : [] }))
const nightly = { every: 'day' as const, atMinutes: 60, forMs: 2 * hourMs, zone: zoneOf('Europe/Berlin') }
const maintenance = [
  { name: 'Patch', ...nightly, checks: [], tags: [] },
  { name: 'Move', from: at('2026-10-25T20:00:00Z'), to: at('2026-10-26T23:00:00Z'), checks: [], tags: ['shop'] },
]

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks, policies: { maintenance } }), now })
})
afterAll(() => api.close())

describe('GET /v1/maintenance', () => {
  test('lists whole occurrences that overlap the window, by start, with their checks', async () => {
    const { body } = await api.get('/v1/maintenance?from=2026-10-25T00:30:00Z&to=2026-10-26T00:00:00Z')
    expect(body).toEqual([
      { name: 'Patch', from: '2026-10-24T23:00:00.000Z', to: '2026-10-25T01:00:00.000Z', checkIds: ['home', 'checkout'] },
      { name: 'Move', from: '2026-10-25T20:00:00.000Z', to: '2026-10-26T23:00:00.000Z', checkIds: ['checkout'] },
      { name: 'Patch', from: '2026-10-26T00:00:00.000Z', to: '2026-10-26T02:00:00.000Z', checkIds: ['home', 'checkout'] },
    ])
  })

  test('covers the last 24 hours by default, and may cover the future', async () => {
    const starts = async (query: string) => (await api.get(`/v1/maintenance${query}`)).body.map(({ from }: { from: string }) => from)
    expect(await starts('')).toEqual(['2026-10-25T20:00:00.000Z', '2026-10-26T00:00:00.000Z'])
    expect(await starts('?from=2026-10-28&to=2026-10-29&timezone=Europe/Berlin')).toEqual([
      '2026-10-28T00:00:00.000Z',
      '2026-10-29T00:00:00.000Z',
    ])
  })

  test('lists only that of some checks', async () => {
    const names = async (ids: string) => {
      const { body } = await api.get(`/v1/maintenance?from=2026-10-26T00:00:00Z&checkId=${ids}`)
      return body.map(({ name, checkIds }: { name: string; checkIds: readonly string[] }) => [name, checkIds])
    }
    expect(await names('home')).toEqual([['Patch', ['home']]])
    expect(await names('home,checkout')).toEqual([
      ['Move', ['checkout']],
      ['Patch', ['home', 'checkout']],
    ])
    expect(await api.get('/v1/maintenance?checkId=other')).toMatchObject({ status: 404, body: { code: 'CHECK_NOT_FOUND' } })
  })

  test.each([
    ['form=2026-10-25', 'Nearest: from'],
    ['from=2026-10-26&to=2026-10-25', 'from must not be after to'],
    ['from=1970-01-01&to=9999-12-31', 'with 1 schedules of maintenance and service hours, its window may have at most 21000 days'],
  ])('%s is a 400', async (query, message) => {
    expect(await api.get(`/v1/maintenance?${query}`)).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
  })

  test('requires a key', async () => {
    expect((await api.get('/v1/maintenance', {})).status).toBe(401)
  })
})

test('statuses and metrics show whether a check is muted or in maintenance now', async () => {
  const muted = testCheck(anyRunType(), { id: 'muted', muted: true })
  const key = testKey('tdm_scraper', account, ['read', 'metrics'])
  const catalogue = testCatalogue({ checks: [...checks, muted], keys: [key], policies: { maintenance } })
  const { get, close } = await openTestApp({ catalogue, now })
  const headers = { authorization: 'Bearer tdm_scraper', 'x-service-account': account }
  const statuses = (await get('/v1/check-statuses', headers)).body as { checkId: string; muted: boolean; maintenance: string | null }[]
  expect(statuses.map((status) => [status.checkId, status.muted, status.maintenance])).toEqual([
    ['checkout', false, 'Move'],
    ['home', false, null],
    ['muted', true, null],
  ])
  expect((await get('/v1/check-statuses/checkout', headers)).body).toMatchObject({ muted: false, maintenance: 'Move' })
  const { text } = await get('/metrics', headers)
  for (const sample of [
    'tidemark_check_in_maintenance{check="checkout"} 1',
    'tidemark_check_in_maintenance{check="home"} 0',
    'tidemark_check_muted{check="muted"} 1',
    'tidemark_check_muted{check="home"} 0',
  ])
    expect(text).toContain(`${sample}\n`)
  await close()
})

describe('a query that expands many maintenance windows over a long time is too large', () => {
  const many = Array.from({ length: 20 }, (_, i) => ({ name: `Patch ${i}`, ...nightly, checks: [], tags: [] }))
  const slos = [testSlo('runs'), testSlo('time', { objective: { kind: 'availability', by: 'time', target: 99 } })]
  let busy: TestApp
  beforeAll(async () => {
    busy = await openTestApp({ catalogue: testCatalogue({ checks, policies: { maintenance: many, slos } }), now })
  })
  afterAll(() => busy.close())

  const report = `/v1/analytics/${anyRunType().path}/home?metrics=availability&availabilityBy=time`
  test.each([
    ['/v1/maintenance?', 'from=2020-01-01'],
    ['/v1/slos?', 'from=2020-01-01'],
    ['/v1/slos/time?', 'from=2020-01-01'],
    ['/v1/slos?', 'from=1970-01-01&maintenance=include'],
    [`${report}&`, 'from=1970-01-01'],
  ])('%s%s', async (url, window) => {
    expect(await busy.get(url + window)).toMatchObject({ status: 400, body: { code: 'QUERY_TOO_LARGE' } })
    expect((await busy.get(`${url}from=2026-01-01`)).status).toBe(200)
  })
  test('as is one for maintenance of many checks', async () => {
    const fleet = Array.from({ length: 500 }, (_, i) => testCheck(anyRunType(), { id: `check-${i}` }))
    const large = await openTestApp({ catalogue: testCatalogue({ checks: fleet, policies: { maintenance: many } }), now })
    expect(await large.get('/v1/maintenance?from=2026-10-01')).toMatchObject({ status: 400, body: { code: 'QUERY_TOO_LARGE' } })
    expect((await large.get('/v1/maintenance?from=2026-10-25')).status).toBe(200)
    expect((await large.get('/v1/maintenance?from=2026-10-01&checkId=check-1')).body).toHaveLength(20 * 26)
    await large.close()
  })
  test('but not the maintenance of one check, of few of many schedules', async () => {
    const own = many.map((schedule, i) => ({ ...schedule, checks: [i === 0 ? 'home' : 'checkout'] }))
    const { get, close } = await openTestApp({ catalogue: testCatalogue({ checks, policies: { maintenance: own } }), now })
    expect((await get('/v1/maintenance?from=2020-01-01&checkId=home')).status).toBe(200)
    expect((await get('/v1/maintenance?from=2020-01-01&checkId=checkout')).status).toBe(400)
    await close()
  })
})
