import { describe, expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { type TestResult, testResult } from '../../../test/support/results.ts'
import { QueryTooLarge } from '../../store/store.ts'
import { isoText, minuteMs } from '../../time.ts'

const checks = ['blog', 'shop'].map((id) => testCheck(anyRunType(), { id }))
const start = Date.UTC(2026, 10, 14)

test.each(['/v1/check-statuses', '/v1/check-statuses/shop'])(
  '%s reads the store once a minute, after a newer result, and after the clock was set back',
  async (url) => {
    let now = start
    let questions = 0
    const { get, store, close } = await openTestApp({
      catalogue: testCatalogue({ checks }),
      results: checks.map((check) => testResult(check, start - minuteMs)),
      now: () => now,
      instead: (store) => ({
        ...store,
        aggregate: (...question) => {
          questions++
          return store.aggregate(...question)
        },
      }),
    })
    onTestFinished(close)
    const first = await get(url)
    expect((await get(url)).body).toEqual(first.body)
    expect(questions).toBe(1)
    await store.append(checks.map((check) => testResult(check, start)))
    await get(url)
    await get(url)
    expect(questions).toBe(2)
    now += minuteMs
    await get(url)
    expect(questions).toBe(3)
    now -= 10 * minuteMs
    await get(url)
    await get(url)
    expect(questions).toBe(4)
  },
)

test('statuses of more checks than a query may have are read in parts', async () => {
  const sizes: number[] = []
  const { get, close } = await openTestApp({
    catalogue: testCatalogue({ checks }),
    results: checks.map((check) => testResult(check, start - minuteMs)),
    now: start,
    instead: (store) => ({
      ...store,
      aggregate: async (query, options) => {
        sizes.push(query.sources.length)
        if (query.sources.length > 1) throw new QueryTooLarge('it would read more values than a question may')
        return store.aggregate(query, options)
      },
    }),
  })
  onTestFinished(close)
  const { status, body } = await get('/v1/check-statuses')
  expect([status, body.length, sizes]).toEqual([200, 2, [2, 1, 1]])
  for (const { longestRun } of body) expect(longestRun).not.toBe(null)
})

test('statuses of thousands of checks are computed in many turns of the event loop', async () => {
  const many = Array.from({ length: 4000 }, (_, i) => testCheck(anyRunType(), { id: `check-${i}` }))
  const { get, close } = await openTestApp({ catalogue: testCatalogue({ checks: many }), now: start })
  onTestFinished(close)
  await get('/v1/check-statuses')
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const { status, headers, body } = await get('/v1/check-statuses')
  clearImmediate(next)
  expect([status, headers['content-type'], body.length]).toEqual([200, 'application/json; charset=utf-8', many.length])
  expect(turns).toBeGreaterThan(15)
})

describe('a failing check', () => {
  const check = testCheck(anyRunType(), { id: 'shop', everyMs: minuteMs, locations: ['eu', 'us'], runParallel: true })
  const runAt = (at: number, error: string | null, runLocation = 'eu') =>
    testResult(check, at, { runLocation, hasFailures: error !== null, error })

  /** A server that counts its queries for states and outages. */
  async function open(results: readonly TestResult[]) {
    const clock = { now: start }
    const asked: string[] = []
    const app = await openTestApp({
      catalogue: testCatalogue({ checks: [check] }),
      results,
      now: () => clock.now,
      instead: (store) => ({
        ...store,
        states: (...question) => {
          asked.push('states')
          return store.states(...question)
        },
        outages: (...question) => {
          asked.push('outages')
          return store.outages(...question)
        },
      }),
    })
    onTestFinished(app.close)
    const status = async () => (await app.get('/v1/check-statuses/shop')).body
    return { ...app, clock, asked, status }
  }

  test('has the start and reason of its outage, and is queried once while nothing is new', async () => {
    const began = start - 40 * minuteMs
    const failing = Array.from({ length: 40 }, (_, i) => runAt(began + i * minuteMs, i === 39 ? 'status 503' : 'refused'))
    const { get, asked, status } = await open([runAt(began - minuteMs, null), ...failing])
    expect(await status()).toMatchObject({ state: 'failing', failingSince: isoText(began), reason: 'status 503' })
    expect((await get('/v1/analytics/outages?checkId=shop')).body.outages[0].from).toBe(isoText(began))
    asked.length = 0
    await status()
    expect(asked).toEqual([])
  })

  test('is updated by newer results between requests', async () => {
    const { store, clock, asked, status } = await open([runAt(start - minuteMs, null)])
    expect(await status()).toMatchObject({ state: 'passing', failingSince: null, reason: null })
    const began = start + 10_000
    await store.append([runAt(began, 'refused')])
    clock.now = start + 30_000
    expect(await status()).toMatchObject({ failingSince: isoText(began), reason: 'refused' })
    await store.append([runAt(began + minuteMs, 'refused')])
    clock.now += minuteMs
    expect(await status()).toMatchObject({ failingSince: isoText(began) })
    expect(asked).toEqual(['states', 'states'])
    await store.append([runAt(start + 2 * minuteMs, null), runAt(start + 3 * minuteMs, 'timed out')])
    clock.now = start + 3 * minuteMs + 1
    expect(await status()).toMatchObject({ failingSince: isoText(start + 3 * minuteMs), reason: 'timed out' })
    await store.append([runAt(start + 4 * minuteMs, null)])
    clock.now += minuteMs
    expect(await status()).toMatchObject({ state: 'passing', failingSince: null, reason: null })
  })

  test('fails without a gap while one location after the other fails', async () => {
    const { status } = await open([
      runAt(start - 5 * minuteMs, 'refused', 'eu'),
      runAt(start - 4 * minuteMs, 'refused', 'eu'),
      runAt(start - 3 * minuteMs - 1, 'timed out', 'us'),
      runAt(start - 3 * minuteMs, null, 'eu'),
      runAt(start - 2 * minuteMs, 'timed out', 'us'),
      runAt(start - minuteMs, 'timed out', 'us'),
    ])
    expect(await status()).toMatchObject({ failingSince: isoText(start - 5 * minuteMs), reason: 'timed out' })
  })

  test('has its outage read again within an hour, since results may arrive late', async () => {
    const { store, clock, status } = await open([runAt(start - minuteMs, 'refused')])
    expect(await status()).toMatchObject({ failingSince: isoText(start - minuteMs) })
    await store.append([
      runAt(start - 2 * minuteMs, 'refused'),
      ...Array.from({ length: 61 }, (_, i) => runAt(start + i * minuteMs, 'refused')),
    ])
    clock.now = start + 60 * minuteMs + 1
    expect(await status()).toMatchObject({ failingSince: isoText(start - 2 * minuteMs) })
  })
})
