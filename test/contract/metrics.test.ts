import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import type { Store } from '../../src/store/store.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, credentials, readKey, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { pingedTypes, runTypes } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const minute = 60_000
const key = 'tdm_testmetr_00000000000000000000000000000000_000000'
const otherKey = 'tdm_testothr_00000000000000000000000000000000_000000'
const adminKey = 'tdm_testadmi_00000000000000000000000000000000_000000'
const openMetrics = 'application/openmetrics-text; version=1.0.0,text/plain;version=0.0.4;q=0.5'

const withCertificate = runTypes.find(({ fields }) => fields.includes('sslDaysRemaining')) ?? runTypes[0]
const [pinged] = pingedTypes
if (!withCertificate || !pinged) throw new Error('a test needs these types')
const shop = testCheck(withCertificate, { id: 'shop', name: 'The "shop"\\\n', tags: ['web', 'eu'], everyMs: 5 * minute })
const job = testCheck(pinged, { id: 'job', name: 'Job', tags: [], activated: false })
const theirs = testCheck(withCertificate, { id: 'theirs', account: 'other' })
const duration = withCertificate.duration ?? ''

const results = [
  testResult(shop, now - 9 * minute, { values: { [duration]: 129.7 } }),
  testResult(shop, now - 8 * minute, { isDegraded: true, attempts: 3, values: { [duration]: 2500 } }),
  testResult(shop, now - 7 * minute, { runLocation: 'us-east-1', hasFailures: true, values: {} }),
  testResult(shop, now - 2 * minute, { values: { [duration]: 100, sslDaysRemaining: 30 } }),
  testResult(job, now - minute, { runLocation: 'ping', values: {} }),
  testResult(theirs, now - minute),
]

let api: TestApp
beforeAll(async () => {
  const keys = [
    testKey(key, account, ['metrics']),
    testKey(readKey, account, ['read', 'ingest']),
    testKey(adminKey, account, ['admin']),
    testKey(otherKey, 'other', ['metrics']),
  ]
  const accounts = [account, 'other'].map((id) => ({ id, name: id, publicBadges: false }))
  api = await openTestApp({ catalogue: testCatalogue({ accounts, keys, checks: [shop, job, theirs] }), results, now })
})
afterAll(() => api.close())

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
/** The check metrics of an exposition. */
const ofChecks = (text: string) => text.slice(text.indexOf('# TYPE tidemark_check info'))

describe('the metrics endpoint', () => {
  test.each([
    ['a key without an account', bearer(key)],
    ['a key as a password', basic(`prometheus:${key}`)],
    ['a key as a password without a user name', basic(`:${key}`)],
    ['a key with its account', { ...bearer(key), 'x-service-account': account }],
    ['an admin key', bearer(adminKey)],
  ])('accepts %s', async (_, headers) => {
    expect((await api.get('/metrics', headers)).status).toBe(200)
  })
  test.each([
    ['nobody', {}, 401, 'MISSING_KEY'],
    ['an unknown key', bearer('tdm_nobody'), 401, 'UNKNOWN_KEY'],
    ['a password without a user', basic(key), 401, 'MISSING_KEY'],
    ['a key as a user name', basic(`${key}:`), 401, 'MISSING_KEY'],
    ['another account', { ...bearer(key), 'x-service-account': 'other' }, 403, 'FORBIDDEN_ACCOUNT'],
    ['a key without the scope', bearer(readKey), 403, 'MISSING_SCOPE'],
  ])('rejects %s', async (_, headers, status, code) => {
    const answer = await api.get('/metrics', headers)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
  test('is the only one that a key with only the scope metrics can read', async () => {
    const answer = await api.get('/v1/checks', { ...bearer(key), 'x-service-account': account })
    expect([answer.status, answer.body.code]).toEqual([403, 'MISSING_SCOPE'])
  })
  test('lists the checks of the account of the key', async () => {
    expect((await api.get('/metrics', bearer(otherKey))).text).toContain('check="theirs"')
    expect((await api.get('/metrics', bearer(key))).text).not.toContain('theirs')
  })
})

test('/metrics does not exist as long as no key in the config file has the scope', async () => {
  const off = await openTestApp({ catalogue: testCatalogue({ checks: [shop] }), now })
  for (const headers of [{}, credentials, bearer(key), basic(`:${readKey}`)])
    for (const method of ['GET', 'POST'] as const) {
      const [metrics, unknown] = await Promise.all(['/metrics', '/metricz'].map((url) => off.call({ method, url, headers })))
      expect([metrics?.status, metrics?.text]).toEqual([unknown?.status, unknown?.text])
    }
  await off.close()
})

describe('an exposition', () => {
  test('has the same check metrics as the golden file', async () => {
    const { headers, text } = await api.get('/metrics', { ...bearer(key), accept: openMetrics })
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    await expect(
      ofChecks(text).replaceAll(withCertificate.type, 'TYPE_OF_SHOP').replaceAll(pinged.type, 'TYPE_OF_JOB'),
    ).toMatchFileSnapshot('../golden/metrics/checks.txt')
  })
  test('in the older format has the same samples', async () => {
    const samples = (text: string) => ofSamples(text).filter((line) => line.startsWith('tidemark_check'))
    const newer = await api.get('/metrics', { ...bearer(key), accept: openMetrics })
    const older = await api.get('/metrics', bearer(key))
    expect(older.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(samples(older.text)).toEqual(samples(newer.text))
    expect(older.text).toContain('# TYPE tidemark_check_results_total counter')
    expect(newer.text.endsWith('# EOF\n')).toBe(true)
    expect(older.text).not.toContain('# EOF')
  })
  test('counts a new result at once, and a duplicate not at all', async () => {
    const row = { checkId: 'shop', startedAt: new Date(now - 5000).toISOString(), runLocation: 'ap', hasFailures: true, attempts: 2 }
    const send = () => api.call({ method: 'POST', url: '/v1/check-results', headers: credentials, payload: [row] as unknown as object })
    await send()
    await send()
    const { text } = await api.get('/metrics', bearer(key))
    expect(text).toContain('tidemark_check_results_total{check="shop",location="ap",outcome="failed"} 1\n')
    expect(text).toContain('tidemark_check_retries_total{check="shop",location="ap"} 1\n')
    expect(text).toContain('tidemark_check_up{check="shop",location="ap"} 0\n')
  })
  test('keeps the time of the last result of a removed location, but not its state', async () => {
    await api.store.append([testResult(shop, now - 60 * minute, { runLocation: 'gone' })])
    const { text } = await api.get('/metrics', bearer(key))
    expect(text).toContain(`tidemark_check_last_result_timestamp_seconds{check="shop",location="gone"} ${now / 1000 - 3600}\n`)
    expect(text).not.toContain('tidemark_check_up{check="shop",location="gone"}')
  })
  test('has one TYPE line per family, followed by its samples', async () => {
    const { text } = await api.get('/metrics', bearer(key))
    const introduced = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(introduced).size).toBe(introduced.length)
    let family = ''
    for (const line of text.trimEnd().split('\n')) {
      if (line.startsWith('# TYPE ')) family = line.split(' ')[2] ?? ''
      if (!line.startsWith('#')) expect(line.startsWith(family), line).toBe(true)
    }
  })
  test('rejects parameters', async () => {
    const answer = await api.get('/metrics?check=shop', bearer(key))
    expect([answer.status, answer.body.code]).toEqual([400, 'UNKNOWN_PARAMETER'])
  })
})

test('the duration of every type is in milliseconds and of the whole run', () => {
  const durations = checkTypes.flatMap(({ metrics, duration }) => (duration === null ? [] : [metrics[duration]]))
  expect(durations.every((metric) => metric?.unit === 'milliseconds' && !metric.perPage)).toBe(true)
})

const ofSamples = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

test('a check whose results cannot be read, or not in time, is listed as such in place of its counters', async () => {
  const keys = [testKey(key, account, ['metrics'])]
  const answers = ['damaged', 'counting'] as const
  const instead = (store: Store): Store => ({ ...store, totals: async () => answers })
  const { get, close } = await openTestApp({ catalogue: testCatalogue({ keys, checks: [shop, job] }), results, now, instead })
  onTestFinished(close)
  const { status, text } = await get('/metrics', bearer(key))
  expect(status).toBe(200)
  expect(text).toContain('tidemark_check_uncounted{check="shop",reason="damaged"} 1\n')
  expect(text).toContain('tidemark_check_uncounted{check="job",reason="counting"} 1\n')
  expect(text).toContain('tidemark_check_up{check="shop"')
  expect(text).not.toContain('tidemark_check_results_total{')
})

test.each([
  ['half of the time that Prometheus waits', { 'x-prometheus-scrape-timeout-seconds': '30.000000' }, 15_000],
  ['five seconds if the scraper sends no timeout', {}, 5000],
  ['at most 30 seconds', { 'x-prometheus-scrape-timeout-seconds': '1e9' }, 30_000],
  ['half a second for an invalid timeout', { 'x-prometheus-scrape-timeout-seconds': 'soon' }, 500],
])('counting may take %s', async (_, headers, expected) => {
  const keys = [testKey(key, account, ['metrics'])]
  const waits: (number | undefined)[] = []
  const instead = (store: Store): Store => ({
    ...store,
    totals: (sources, options) => {
      waits.push(options?.waitMs)
      return store.totals(sources, options)
    },
  })
  const { get, close } = await openTestApp({ catalogue: testCatalogue({ keys, checks: [shop] }), now, instead })
  onTestFinished(close)
  await get('/metrics', { ...bearer(key), ...headers })
  expect(waits).toEqual([expected])
})
