// @slow
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { utc } from '../../src/calendar/zone.ts'
import { type Check, refOf } from '../../src/catalogue/catalogue.ts'
import type { MaintenancePolicy } from '../../src/catalogue/policies/policies.ts'
import { isoText } from '../../src/time.ts'
import { openTestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType, pingedTypes } from '../support/example-config.ts'
import { type TestResult, testResult } from '../support/results.ts'
import { checkOfHistory, filedRows, instantOf, naiveOutages } from '../support/states-conformance.ts'
import { type History, histories, windows } from '../support/timeline.ts'
import { triesOf } from '../support/tries.ts'

const checkType = anyRunType()
const minute = 60_000
const day = 86_400_000
const now = Date.UTC(2026, 10, 14, 10)
const shop = checkOf('shop', { tags: ['shop', 'web'] })
const blog = checkOf('blog', { tags: ['web'] })
const path = '/v1/analytics/outages'

/** Runs every minute at two locations; a result holds for 90 seconds. */
function checkOf(id: string, more: Partial<Check> = {}): Check {
  return testCheck(checkType, { id, name: `The ${id}`, everyMs: minute, locations: ['eu', 'us'], runParallel: true, ...more })
}

type Setting = { readonly results?: readonly TestResult[]; readonly maintenance?: readonly MaintenancePolicy[]; readonly at?: () => number }

async function open({ results = [], maintenance = [], at = () => now }: Setting) {
  const catalogue = testCatalogue({ checks: [shop, blog], policies: { maintenance } })
  const app = await openTestApp({ catalogue, results, now: at })
  onTestFinished(app.close)
  return app
}

const runAt = (check: Check, at: number, error: string | null, runLocation = 'eu') =>
  testResult(check, at, { runLocation, hasFailures: error !== null, error })

/** Down for the given minutes before now, at one location, and up before and after. */
function outage(check: Check, fromMinutes: number, toMinutes: number, error = 'refused'): readonly TestResult[] {
  const runs = Array.from({ length: fromMinutes - toMinutes }, (_, i) => runAt(check, now - (fromMinutes - i) * minute, error))
  return [runAt(check, now - (fromMinutes + 1) * minute, null), ...runs, runAt(check, now - toMinutes * minute, null)]
}

describe('an outage', () => {
  test('has its full length, locations, the reason and the failing results', async () => {
    const [start, end] = [now - 30 * minute, now - 27 * minute]
    const results = [
      runAt(shop, start, 'status 503, expected 200'),
      runAt(shop, start + 1, 'refused', 'us'),
      runAt(shop, start + minute, 'refused'),
      runAt(shop, start + minute + 1, null, 'us'),
      runAt(shop, start + 2 * minute, 'status 503, expected 200'),
      runAt(shop, end, null),
    ]
    const { get } = await open({ results })
    const { status, text, body } = await get(`${path}?checkId=shop`)
    expect(status).toBe(200)
    expect(body).toEqual({
      from: isoText(now - day),
      to: isoText(now),
      outages: [
        {
          checkId: 'shop',
          name: 'The shop',
          checkType: checkType.type,
          from: isoText(start),
          to: isoText(end),
          seconds: 180,
          locations: ['eu', 'us'],
          reason: 'status 503, expected 200',
          firstResultId: results[0]?.result.id,
          lastResultId: results[4]?.result.id,
          maintenance: false,
        },
      ],
      pagination: { limit: 100, next: null },
    })
    const keys = 'checkId,name,checkType,from,to,seconds,locations,reason,firstResultId,lastResultId,maintenance'
    expect(Object.keys(JSON.parse(text).outages[0]).join()).toBe(keys)
  })

  test('that is still open has no end, and its length is measured to now', async () => {
    const { get } = await open({ results: [runAt(shop, now - 1234, 'refused')] })
    expect((await get(path)).body.outages).toMatchObject([{ to: null, seconds: 1.234 }])
  })

  test('is not clipped to the window, even where it extends far beyond it', async () => {
    const days = Array.from({ length: 5 * 1440 }, (_, i) => runAt(shop, now - 6 * day + i * minute, 'refused'))
    const { get } = await open({ results: days })
    const { body } = await get(`${path}?from=${isoText(now - 4 * day)}&to=${isoText(now - 4 * day + 1)}`)
    const end = now - day + 30_000
    expect(body.outages).toMatchObject([{ from: isoText(now - 6 * day), to: isoText(end), seconds: (5 * day + 30_000) / 1000 }])
    expect(body.outages[0]).toMatchObject({ firstResultId: days[0]?.result.id, lastResultId: days.at(-1)?.result.id })
  })

  test('shows whether any of it was in maintenance of its check, also outside the window', async () => {
    const results = [...outage(shop, 300, 200), ...outage(blog, 300, 200)]
    const once = { name: 'Move', from: now - 290 * minute, to: now - 280 * minute, checks: [], tags: ['shop'] }
    const nightly = { name: 'Patch', every: 'day', atMinutes: 300, forMs: 5 * minute, zone: utc, checks: ['blog'], tags: [] } as const
    const late = `${path}?from=${isoText(now - 230 * minute)}`
    const flags = async (maintenance: readonly MaintenancePolicy[], found = results) => {
      const { get } = await open({ results: found, maintenance })
      return (await get(late)).body.outages.map((found: { checkId: string; maintenance: boolean }) => [found.checkId, found.maintenance])
    }
    expect(await flags([once])).toEqual([
      ['blog', false],
      ['shop', true],
    ])
    expect(await flags([nightly])).toEqual([
      ['blog', true],
      ['shop', false],
    ])
    const atItsEnd = { ...once, from: now - 110 * minute, to: now - 105 * minute, tags: [] }
    expect(await flags([atItsEnd], [...outage(shop, 300, 200), ...outage(blog, 300, 100)])).toEqual([
      ['blog', true],
      ['shop', false],
    ])
  })

  test('matches the definition, for any results in any order of arrival', async () => {
    const ran = histories.filter(({ regimes }) => !regimes.some((regime) => 'graceMs' in regime))
    await fc.assert(
      fc.asyncProperty(ran, windows, fc.boolean(), async (given, window, isReversed) => {
        const history: History = { ...given, regimes: given.regimes.slice(0, 1) }
        const rows = isReversed ? history.rows.toReversed() : history.rows
        const check = checkOfHistory(history)
        const app = await openTestApp({
          catalogue: testCatalogue({ checks: [check] }),
          results: filedRows(refOf(check), rows) as readonly TestResult[],
          now: instantOf(history.now),
        })
        const query = `from=${isoText(instantOf(window.from))}&to=${isoText(instantOf(window.to))}&quorum=${history.quorum}`
        const { body } = await app.get(`${path}?${query}`)
        await app.close()
        const expected = naiveOutages(refOf(check), history, window).map(({ check: _, from, to, ...rest }) => ({
          ...rest,
          from: isoText(from),
          to: to === null ? null : isoText(to),
          seconds: ((to ?? instantOf(history.now)) - from) / 1000,
        }))
        const own = ['checkId', 'name', 'checkType', 'maintenance']
        const listed = body.outages.map((found: object) => Object.fromEntries(Object.entries(found).filter(([key]) => !own.includes(key))))
        expect(listed.toReversed()).toEqual(expected)
      }),
      { numRuns: triesOf(15) },
    )
  })

  test.each(pingedTypes)('of a check of type $type lasts for period and grace after a missed ping', async (pinged) => {
    const check = testCheck(pinged, { id: 'backup' })
    const { periodMs, graceMs } = pinged.pingSettings?.(check.settings) ?? { periodMs: 0, graceMs: 0 }
    const start = now - 3 * (periodMs + graceMs)
    const results = [testResult(check, start, { runLocation: 'default', hasFailures: true, state: 'FAILING', error: 'no ping' })]
    const app = await openTestApp({ catalogue: testCatalogue({ checks: [check] }), results, now })
    onTestFinished(app.close)
    const { body } = await app.get(`${path}?from=${isoText(start)}`)
    expect(body.outages).toMatchObject([{ from: isoText(start), seconds: (periodMs + graceMs) / 1000, reason: 'no ping' }])
  })
})

describe('outages', () => {
  const results = [...outage(shop, 100, 90), ...outage(shop, 50, 48), ...outage(blog, 100, 95), ...outage(blog, 20, 10)]
  const starts = (body: { outages: readonly { checkId: string; from: string }[] }) =>
    body.outages.map(({ checkId, from }) => `${checkId} ${(now - Date.parse(from)) / minute}`)

  test('are sorted newest first, then by the id of the check', async () => {
    const { get } = await open({ results })
    expect(starts((await get(path)).body)).toEqual(['blog 20', 'shop 50', 'blog 100', 'shop 100'])
  })
  test.each([
    ['checkId=blog', ['blog 20', 'blog 100']],
    ['checkId=blog,shop&tag=shop', ['shop 50', 'shop 100']],
    ['tag=shop', ['shop 50', 'shop 100']],
    ['tag[]=shop&tag[]=web', ['blog 20', 'shop 50', 'blog 100', 'shop 100']],
    ['tag=nobody', []],
    ['minSeconds=301', ['blog 20', 'shop 100']],
    ['quorum=2', []],
    ['quorum=majority', ['blog 20', 'shop 50', 'blog 100', 'shop 100']],
  ])('are filtered by %s', async (query, expected) => {
    const { get } = await open({ results })
    expect(starts((await get(`${path}?${query}`)).body)).toEqual(expected)
  })
  test('are paged within the window of the first page, although time passes', async () => {
    let at = now
    const { get } = await open({ results, at: () => at })
    const first = await get(`${path}?limit=3`)
    at = now + 30 * day
    const second = await get(`${path}?limit=3&cursor=${first.body.pagination.next}`)
    expect([...starts(first.body), ...starts(second.body)]).toEqual(['blog 20', 'shop 50', 'blog 100', 'shop 100'])
    expect(second.body).toMatchObject({ from: first.body.from, to: first.body.to, pagination: { limit: 3, next: null } })
  })
  test('of a calendar window follow the time zone', async () => {
    const { get } = await open({ results })
    const { body } = await get(`${path}?quickRange=thisWeek&timezone=Asia/Tokyo`)
    expect(body.from).toBe('2026-11-08T15:00:00.000Z')
  })

  test.each([
    ['checkId=nothing', 404, 'CHECK_NOT_FOUND'],
    ['checkId=no%20id', 400, 'INVALID_ID'],
    ['quorum=0', 400, 'INVALID_PARAMETER'],
    ['quorum=most', 400, 'INVALID_PARAMETER'],
    ['minSeconds=-1', 400, 'INVALID_PARAMETER'],
    ['limit=1001', 400, 'INVALID_PARAMETER'],
    ['cursor=abc', 400, 'INVALID_CURSOR'],
    ['minSecond=1', 400, 'UNKNOWN_PARAMETER'],
    ['from=2026-11-14&to=2026-11-13', 400, 'INVALID_WINDOW'],
  ])('are rejected with a specific error for %s', async (query, status, code) => {
    const { get } = await open({})
    const answer = await get(`${path}?${query}`)
    expect(answer).toMatchObject({ status, body: { statusCode: status, code } })
  })
})

describe('a filter', () => {
  const results = () => [...outage(shop, 300, 200), ...outage(blog, 120, 60), runAt(shop, now - 30_000, 'refused', 'us')]
  const idsOf = ({ body }: { body: { outages: { checkId: string; to: string | null }[] } }) =>
    body.outages.map(({ checkId, to }) => [checkId, to === null ? 'open' : 'over'])

  test('selects outages by whether they are still open', async () => {
    const { get } = await open({ results: results() })
    expect(idsOf(await get(`${path}?state=open`))).toEqual([['shop', 'open']])
    expect(idsOf(await get(`${path}?state=over`))).toEqual([
      ['blog', 'over'],
      ['shop', 'over'],
    ])
    expect(idsOf(await get(`${path}?state=open&from=${isoText(now - day)}&to=${isoText(now + day)}`))).toEqual([['shop', 'open']])
    expect(idsOf(await get(`${path}?state=open&from=${isoText(now - day)}&to=${isoText(now - minute)}`))).toEqual([])
    expect((await get(`${path}?state=closed`)).status).toBe(400)
  })

  test('selects outages by location and by check type', async () => {
    const { get } = await open({ results: results() })
    expect(idsOf(await get(`${path}?runLocation=us`))).toEqual([['shop', 'open']])
    expect(idsOf(await get(`${path}?runLocation=nowhere`))).toEqual([])
    expect((await get(`${path}?checkType=${checkType.type}`)).body.outages).toHaveLength(3)
    expect((await get(`${path}?checkType=NONE`)).status).toBe(400)
  })

  test('applies to the totals of all pages, with the lengths that are listed', async () => {
    const { get } = await open({ results: results() })
    const all = (await get(path)).body.outages as { seconds: number }[]
    const { body } = await get(`${path}?limit=1&totals=true`)
    expect(body.outages).toHaveLength(1)
    expect(body.totals).toEqual({ outages: 3, seconds: all.reduce((sum, { seconds }) => sum + seconds, 0) })
    expect((await get(`${path}?totals=true&state=open`)).body.totals).toEqual({ outages: 1, seconds: 30 })
    expect((await get(path)).body).not.toHaveProperty('totals')
  })
})
