// @slow
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { utc } from '../../src/calendar/zone.ts'
import { refOf } from '../../src/catalogue/catalogue.ts'
import type { Policies } from '../../src/catalogue/policies/policies.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { StateTime } from '../../src/store/timeline/state-time.ts'
import { isoText } from '../../src/time.ts'
import { openTestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType, runTypes } from '../support/example-config.ts'
import { type TestResult, testResult } from '../support/results.ts'
import { checkOfHistory, filedRows, instantOf, naiveRows, plainPolicy, unitMs } from '../support/states-conformance.ts'
import { type History, histories, naiveLocationState, naiveState } from '../support/timeline.ts'
import { triesOf } from '../support/tries.ts'

const checkType = anyRunType()
const minute = 60_000
const hour = 60 * minute
const now = Date.UTC(2026, 10, 14, 10)
/** Runs every minute at two locations; a result holds for 90 seconds. */
const check = testCheck(checkType, { everyMs: minute, locations: ['eu', 'us'], runParallel: true })
const path = `/v1/analytics/${checkType.path}/${check.id}`
const hourBefore = `from=${isoText(now - hour)}&to=${isoText(now)}`
const byTime = `${path}?metrics=availability&availabilityBy=time&${hourBefore}`

type Outcome = 'up' | 'degraded' | 'down'

/** A run the given number of minutes before now. */
function run(minutes: number, outcome: Outcome = 'up', runLocation = 'eu'): TestResult {
  return testResult(check, now - minutes * minute, { runLocation, hasFailures: outcome === 'down', isDegraded: outcome === 'degraded' })
}

/** A run in each minute of the last hour: 20 minutes up, 10 degraded, 10 down, 20 up. */
const hourOfRuns = Array.from({ length: 60 }, (_, i) => run(60 - i, i < 20 || i >= 40 ? 'up' : i < 30 ? 'degraded' : 'down'))

async function open(results: readonly TestResult[], policies: Partial<Policies> = {}) {
  const app = await openTestApp({ catalogue: testCatalogue({ checks: [check], policies }), results, now })
  onTestFinished(app.close)
  return app
}

const seconds = (up: number, degraded: number, down: number, maintenance: number, unknown: number) => ({
  upSeconds: up,
  degradedSeconds: degraded,
  downSeconds: down,
  maintenanceSeconds: maintenance,
  unknownSeconds: unknown,
})

describe('a row', () => {
  test('has the seconds of each state and the availability computed from them, next to the counts', async () => {
    const { get } = await open(hourOfRuns)
    const { body } = await get(byTime)
    expect(body.series).toEqual([
      { data: [{ total: 60, success: 50, ...seconds(2400, 600, 600, 0, 0), availability: (3000 / 3600) * 100 }] },
    ])
    const keys = 'total,success,upSeconds,degradedSeconds,downSeconds,maintenanceSeconds,unknownSeconds,availability'
    expect(Object.keys(body.series[0].data[0]).join()).toBe(keys)
    expect(body.metadata).toEqual({ availability: { unit: 'percentage', label: 'Availability' } })
    expect(body).not.toHaveProperty('intervals')
  })
  test('without results is unknown, and its availability null', async () => {
    const { get } = await open([])
    expect((await get(byTime)).body.series).toEqual([
      { data: [{ total: 0, success: 0, ...seconds(0, 0, 0, 0, 3600), availability: null }] },
    ])
  })
  test('counts a result from before the window while it holds, and nothing after now', async () => {
    const { get } = await open([run(61)])
    const later = `${path}?metrics=availability&availabilityBy=time&from=${isoText(now - hour)}&to=${isoText(now + hour)}`
    expect((await get(later)).body.series[0].data[0]).toMatchObject({ total: 0, ...seconds(30, 0, 0, 0, 3570), availability: 100 })
  })
  test('leaves the other metrics of the row as they are', async () => {
    const { get } = await open(hourOfRuns)
    const { body } = await get(`${byTime.replace('metrics=', 'metrics=retries,')}`)
    expect(Object.keys(body.series[0].data[0])).toEqual([
      'retries',
      'total',
      'success',
      ...Object.keys(seconds(0, 0, 0, 0, 0)),
      'availability',
    ])
  })
  test('of other metrics only is the same as without availabilityBy=time', async () => {
    const { get } = await open(hourOfRuns)
    const { body } = await get(byTime.replace('metrics=availability', 'metrics=retries'))
    expect(body.series).toEqual([{ data: [{ retries: 0 }] }])
  })
  test('of a window in the future has no time in any state', async () => {
    const everyDay = { name: 'always', days: ['sat'], fromMinutes: 0, toMinutes: 24 * 60, zone: utc } as const
    const maintenance = [{ name: 'Move', from: now, to: now + 3 * hour, checks: [], tags: [] }]
    const { get } = await open(hourOfRuns, { maintenance, serviceHours: [everyDay] })
    const later = `${path}?metrics=availability&availabilityBy=time&from=${isoText(now + hour)}&to=${isoText(now + 2 * hour)}`
    for (const more of ['', '&serviceHours=always'])
      expect((await get(`${later}${more}`)).body.series).toEqual([
        { data: [{ total: 0, success: 0, ...seconds(0, 0, 0, 0, 0), availability: null }] },
      ])
  })
  test('computes the states from all results, even those that filterByStatus excludes', async () => {
    const { get } = await open(hourOfRuns)
    expect((await get(`${byTime}&filterByStatus=failure`)).body.series[0].data[0]).toMatchObject({
      total: 10,
      ...seconds(2400, 600, 600, 0, 0),
    })
  })
  test.each(checkTypes)('is available for checks of type $type', async (each) => {
    const other = testCheck(each)
    const app = await openTestApp({ catalogue: testCatalogue({ checks: [other] }), results: [testResult(other, now - 1000)], now })
    onTestFinished(app.close)
    const { body } = await app.get(`/v1/analytics/${each.path}/${other.id}?metrics=availability&availabilityBy=time`)
    expect(body.series[0].data[0]).toMatchObject({ total: 1, upSeconds: 1, unknownSeconds: 86_399, availability: 100 })
  })
})

describe('rows', () => {
  test('of buckets have the start of the bucket, and count only its part inside the window', async () => {
    const { get } = await open(hourOfRuns)
    const from = isoText(now - 50 * minute)
    const { body } = await get(
      `${path}?metrics=availability&availabilityBy=time&aggregationInterval=30&from=${from}&to=${isoText(now - 1)}`,
    )
    expect(body.series[0].data).toEqual([
      { period: isoText(now - hour), total: 20, success: 20, ...seconds(600, 600, 0, 0, 0), availability: 100 },
      {
        period: isoText(now - 30 * minute),
        total: 30,
        success: 20,
        ...seconds(1199.999, 0, 600, 0, 0),
        availability: (1199.999 / 1799.999) * 100,
      },
    ])
  })
  test('of empty buckets are left out, or listed with their unknown time with fill=null', async () => {
    const { get } = await open([run(60), run(5)])
    const buckets = `${byTime}&aggregationInterval=10`
    const periods = (body: { series: { data: { period: string }[] }[] }) =>
      body.series[0]?.data.map(({ period }) => (now - Date.parse(period)) / minute)
    expect(periods((await get(buckets)).body)).toEqual([60, 10])
    const filled = await get(`${buckets}&fill=null&limit=3&page=2`)
    expect(periods(filled.body)).toEqual([30, 20, 10])
    expect(filled.body.series[0].data[0]).toMatchObject({ total: 0, ...seconds(0, 0, 0, 0, 600), availability: null })
  })
  test('grouped by location have the states of that location', async () => {
    const { get } = await open([run(60), run(59, 'down'), run(60, 'degraded', 'us')])
    const groups = (await get(`${byTime}&groupBy=runLocation`)).body.series
    expect(groups).toEqual([
      { runLocation: 'eu', data: [{ runLocation: 'eu', total: 2, success: 1, ...seconds(60, 0, 90, 0, 3450), availability: 40 }] },
      { runLocation: 'us', data: [{ runLocation: 'us', total: 1, success: 1, ...seconds(0, 90, 0, 0, 3510), availability: 100 }] },
    ])
    const paged = (await get(`${byTime}&groupBy=runLocation&limit=1&page=2`)).body.series
    expect(paged).toEqual(groups.slice(1))
  })

  test('of a location are unknown before its first result, on every page', async () => {
    const { get } = await open([run(59), run(30), run(29, 'up', 'us')])
    const buckets = `${byTime}&groupBy=runLocation&aggregationInterval=10&fill=null`
    const all = (await get(buckets)).body.series
    for (const { data } of all)
      for (const { period, upSeconds, unknownSeconds } of data.slice(0, 6))
        expect([period, upSeconds + unknownSeconds]).toEqual([period, 600])
    const [{ data }] = all.slice(1)
    expect((await get(`${buckets}&limit=2`)).body.series[1].data).toEqual(data.slice(0, 2))
  })

  test('add up to the definition, for any results, buckets and locations', async () => {
    const ran = histories.filter(({ regimes }) => !regimes.some((regime) => 'graceMs' in regime))
    await fc.assert(
      fc.asyncProperty(ran, fc.integer({ min: 1, max: 100 }), async (given, width) => {
        const history: History = { ...given, regimes: given.regimes.slice(0, 1) }
        const own = checkOfHistory(history)
        const app = await openTestApp({
          catalogue: testCatalogue({ checks: [own] }),
          results: filedRows(refOf(own), history.rows) as readonly TestResult[],
          now: instantOf(history.now),
        })
        const window = { from: 3, to: 230 }
        const query = `metrics=availability&availabilityBy=time&from=${isoText(instantOf(3))}&to=${isoText(instantOf(230))}&limit=100`
        const ask = async (more: string) => (await app.get(`/v1/analytics/${checkType.path}/${own.id}?${query}&${more}`)).body.series
        const buckets = await ask(`quorum=${history.quorum}&aggregationInterval=${width * 60}`)
        const byLocation = await ask('groupBy=runLocation')
        await app.close()
        for (const row of buckets[0].data) {
          const from = (Date.parse(row.period) - instantOf(0)) / unitMs
          const rows = naiveRows(history, window, plainPolicy, [{ from, to: from + width }], (at) => naiveState(history, at))
          expect(row).toMatchObject(inSeconds(rows[0]))
        }
        for (const { runLocation, data } of byLocation) {
          const rows = naiveRows(history, window, plainPolicy, [window], (at) => naiveLocationState(history, runLocation, at))
          expect(data[0]).toMatchObject(inSeconds(rows[0]))
        }
      }),
      { numRuns: triesOf(15) },
    )
  })
})

describe('the policy', () => {
  test('counts degraded time as down with degraded=down, and leaves the seconds unchanged', async () => {
    const { get } = await open(hourOfRuns)
    const row = (await get(`${byTime}&degraded=down`)).body.series[0].data[0]
    expect(row).toMatchObject({ ...seconds(2400, 600, 600, 0, 0), availability: (2400 / 3600) * 100 })
  })
  test('needs as many locations down as the quorum requires', async () => {
    const { get } = await open([...hourOfRuns, ...Array.from({ length: 60 }, (_, i) => run(60 - i, 'up', 'us'))])
    for (const quorum of ['2', 'majority'])
      expect((await get(`${byTime}&quorum=${quorum}`)).body.series[0].data[0]).toMatchObject(seconds(2400, 1200, 0, 0, 0))
  })
  test('counts outages shorter than minOutageSeconds as up', async () => {
    const { get } = await open(hourOfRuns)
    expect((await get(`${byTime}&minOutageSeconds=600`)).body.series[0].data[0]).toMatchObject(seconds(2400, 600, 600, 0, 0))
    expect((await get(`${byTime}&minOutageSeconds=601`)).body.series[0].data[0]).toMatchObject(seconds(3000, 600, 0, 0, 0))
  })
  const maintenance = [{ name: 'Move', from: now - 25 * minute, to: now - 5 * minute, checks: [], tags: [] }]
  test('excludes maintenance of the check, or includes it', async () => {
    const { get } = await open(hourOfRuns, { maintenance })
    const excluded = (await get(byTime)).body.series[0].data[0]
    expect(excluded).toMatchObject({ ...seconds(1500, 600, 300, 1200, 0), availability: 87.5 })
    const included = (await get(`${byTime}&maintenance=include`)).body.series[0].data[0]
    expect(included).toMatchObject(seconds(2400, 600, 600, 0, 0))
  })
  test('ignores maintenance of other checks', async () => {
    const { get } = await open(hourOfRuns, { maintenance: maintenance.map((one) => ({ ...one, tags: ['other'] })) })
    expect((await get(byTime)).body.series[0].data[0]).toMatchObject(seconds(2400, 600, 600, 0, 0))
  })
  const office = { name: 'office', days: ['sat'], fromMinutes: 9 * 60 + 45, toMinutes: 18 * 60, zone: utc } as const
  test('counts only time within the service hours', async () => {
    const { get } = await open(hourOfRuns, { serviceHours: [office] })
    const row = (await get(`${byTime}&serviceHours=office`)).body.series[0].data[0]
    expect(row).toMatchObject({ total: 60, ...seconds(900, 0, 0, 0, 0), availability: 100 })
  })
  test('suggests the nearest name for unknown service hours', async () => {
    const { get } = await open([], { serviceHours: [office] })
    const { status, body } = await get(`${byTime}&serviceHours=ofice`)
    expect(status).toBe(400)
    expect(body.message).toBe('serviceHours must be the name of service hours in the config file. Nearest: office.')
    expect(await (await open([])).get(`${byTime}&serviceHours=office`)).toMatchObject({
      status: 400,
      body: { message: 'serviceHours must be left out: the config file has no service hours for this account.' },
    })
  })
})

describe('an explanation', () => {
  test('lists the states of the window without gap or overlap, after the series', async () => {
    const maintenance = [{ name: 'Move', from: now - 15 * minute, to: now - 10 * minute, checks: [], tags: [] }]
    const { get } = await open(hourOfRuns, { maintenance })
    const { body } = await get(`${byTime}&explain=true`)
    const edges = [60, 40, 30, 20, 15, 10, 0].map((minutes) => isoText(now - minutes * minute))
    const states = ['up', 'degraded', 'down', 'up', 'maintenance', 'up']
    expect(body.intervals).toEqual(states.map((state, i) => ({ from: edges[i], to: edges[i + 1], state })))
    expect(Object.keys(body).slice(-4)).toEqual(['series', 'intervals', 'metadata', 'pagination'])
  })
  test('is there on every page', async () => {
    const { get } = await open(hourOfRuns)
    const { body } = await get(`${byTime}&explain=true&page=2`)
    expect(body.series).toEqual([{ data: [] }])
    expect(body.intervals).toHaveLength(4)
  })
})

describe('a contradictory request is rejected with a specific message', () => {
  const withGroups = runTypes.find(({ groupBy }) => groupBy.some(({ by }) => by === 'field'))
  test.each([
    'quorum=2',
    'degraded=up',
    'maintenance=include',
    'minOutageSeconds=5',
    'serviceHours=office',
    'explain=true',
    'availabilityBy=runs&quorum=2',
  ])('%s without availabilityBy=time', async (query) => {
    const { get } = await open([])
    const { status, body } = await get(`${path}?metrics=availability&${query}`)
    expect(status).toBe(400)
    expect(body.message).toMatch(/^\w+ must be used together with availabilityBy=time\.$/)
  })
  test.each([
    ['metrics=availability&explain=true&groupBy=runLocation', 'explain must be used without groupBy and aggregationInterval.'],
    ['metrics=availability&explain=true&aggregationInterval=60', 'explain must be used without groupBy and aggregationInterval.'],
    [
      `metrics=availability,${Object.keys(checkType.metrics)[0]}`,
      'availabilityBy must be runs where the rows are single runs; ask for aggregated metrics.',
    ],
    ['metrics=availability&quorum=0', 'quorum must be a whole number from 1, or majority.'],
    ['metrics=availability&quorum=1.5', 'quorum must be a whole number from 1, or majority.'],
    ['metrics=availability&degraded=sideways', 'degraded must be one of up, down.'],
  ])('%s', async (query, message) => {
    const { get } = await open([])
    expect(await get(`${path}?availabilityBy=time&${query}`)).toMatchObject({ status: 400, body: { message } })
  })
  test('a group other than the location', async () => {
    const other = testCheck(withGroups ?? checkType)
    const field = other.checkType.groupBy.find(({ by }) => by === 'field')?.name
    const app = await openTestApp({ catalogue: testCatalogue({ checks: [other] }), now })
    onTestFinished(app.close)
    const { status, body } = await app.get(
      `/v1/analytics/${other.checkType.path}/${other.id}?metrics=availability&availabilityBy=time&groupBy=${field}`,
    )
    expect([status, body.message]).toEqual([400, 'groupBy must be a location, or left out, with availabilityBy=time.'])
  })
})

function inSeconds(time: StateTime | undefined) {
  const { up = 0, degraded = 0, down = 0, maintenance = 0, unknown = 0 } = time ?? {}
  return seconds(up / 1000, degraded / 1000, down / 1000, maintenance / 1000, unknown / 1000)
}
