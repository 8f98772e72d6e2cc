import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import type { CheckType } from '../../src/checks/define.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { type Aggregation, aggregations, type Result } from '../../src/store/store.ts'
import { dayMs, hourMs, minuteMs } from '../../src/time.ts'
import { type Answer, openTestApp, type TestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck } from '../support/catalogue.ts'
import { expected } from '../support/oracle.ts'
import { testResult } from '../support/results.ts'

const now = Date.parse('2026-11-14T10:20:30.456Z')
const places = ['eu-west-1', 'us-east-1']
const tags = [['shop', 'web'], ['shop'], ['web'], []]
const checks = checkTypes.map((checkType, i) => testCheck(checkType, { tags: tags[i % tags.length] ?? [], muted: i % 3 === 1 }))
const timed = checks.filter(({ checkType }) => checkType.duration !== null)

/** Nine days of runs, every 20 minutes, at two locations in turn; some fail, some have no measured values. */
const historyOf = (check: Check, n: number): readonly Result[] =>
  Array.from({ length: 648 }, (_, i) => {
    const { result } = testResult(check, now - i * 20 * minuteMs - n, { runLocation: places[i % 2] ?? '', hasFailures: i % (11 + n) === 3 })
    const values =
      i % 30 === 7 ? {} : { ...result.values, ...(check.checkType.fields.includes('statusCode') && { statusCode: 200 + (i % 3) }) }
    return { ...result, values }
  })
const histories = new Map(checks.map((check, n) => [check.id, historyOf(check, n)]))

/** A listed metric of whole runs other than the duration; undefined for a type without one. */
const otherMetricOf = ({ metrics, duration }: CheckType) =>
  Object.keys(metrics).find((name) => name !== duration && !metrics[name]?.unlisted && metrics[name]?.perPage !== true)

let api: TestApp
beforeAll(async () => {
  const results = checks.flatMap((check) =>
    (histories.get(check.id) ?? []).map((result) => ({ check: { account: check.account, checkId: check.id }, result })),
  )
  api = await openTestApp({ catalogue: testCatalogue({ checks }), results, now })
})
afterAll(() => api.close())

const ask = (body: object): Promise<Answer> => api.call({ method: 'POST', url: '/v1/analytics/query', headers: credentials, payload: body })
const series = async (body: object) => (await ask(body)).body.series

const runsOf = (some: readonly Check[], from = now - dayMs, to = now) =>
  some.flatMap((check) =>
    (histories.get(check.id) ?? [])
      .filter(({ startedAt }) => startedAt >= from && startedAt <= to)
      .map((result) => ({ check, result, duration: result.values[check.checkType.duration ?? ''] })),
  )
const durations = (runs: ReturnType<typeof runsOf>) => runs.flatMap(({ duration }) => duration ?? [])
const figure = (aggregation: Aggregation, runs: ReturnType<typeof runsOf>) => expected(aggregation, durations(runs))

describe('a query over all checks', () => {
  test('pools the results of all of them, with exact percentiles', async () => {
    const { body, status } = await ask({ metrics: ['availability', 'duration_p95', 'retries'] })
    const runs = runsOf(checks)
    const success = runs.filter(({ result }) => !result.hasFailures).length
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['from', 'to', 'timezone', 'checks', 'series', 'metadata', 'pagination', 'cost'])
    expect(body).toMatchObject({ timezone: 'UTC', checks: checks.length, pagination: { limit: 100, next: null } })
    expect(body.cost).toMatchObject({ results: runs.length, milliseconds: expect.any(Number) })
    expect(body.series).toEqual([
      {
        data: [
          {
            total: runs.length,
            success,
            availability: (success / runs.length) * 100,
            duration_p95: figure('p95', runs),
            retries: 0,
          },
        ],
      },
    ])
    expect(body.metadata).toEqual({
      availability: { unit: 'percentage', label: 'Availability' },
      duration_p95: { unit: 'milliseconds', label: 'Duration', aggregation: 'p95' },
      retries: { unit: 'count', label: 'Retries' },
    })
    expect(body).not.toHaveProperty('intervals')
  })

  test.each(checks.filter(({ checkType }) => otherMetricOf(checkType)))(
    'accepts any metric of the chosen type: $checkType.type',
    async (check) => {
      const metric = otherMetricOf(check.checkType) ?? ''
      const { body } = await ask({ metrics: [`${metric}_p90`, metric], checks: { ids: [check.id] } })
      const values = runsOf([check]).flatMap(({ result }) => result.values[metric] ?? [])
      expect(body.series[0].data[0]).toEqual({ [`${metric}_p90`]: expected('p90', values), [metric]: expected('avg', values) })
      const { unit, label } = check.checkType.metrics[metric] ?? {}
      expect(body.metadata).toEqual({
        [`${metric}_p90`]: { unit, label, aggregation: 'p90' },
        [metric]: { unit, label, aggregation: 'avg' },
      })
    },
  )

  test('treats a metric without a suffix as its average', async () => {
    const [{ data }] = await series({ metrics: ['duration', 'duration_avg'] })
    expect(data[0].duration).toBe(figure('avg', runsOf(checks)))
    expect(data[0].duration_avg).toBe(data[0].duration)
  })

  test('grouped by check has an entry for each check with its id and name first, also for a type without a duration', async () => {
    const entries = await series({ metrics: ['duration_p50'], groupBy: ['check'] })
    expect(entries.map(({ check }: { check: string }) => check)).toEqual(checks.map(({ id }) => id).sort())
    for (const check of checks) {
      const entry = entries.find((each: { check: string }) => each.check === check.id)
      expect(Object.keys(entry)).toEqual(['check', 'name', 'data'])
      expect(entry).toMatchObject({ name: check.name, data: [{ check: check.id, duration_p50: figure('p50', runsOf([check])) }] })
    }
  })

  test('grouped by tag counts a check with two tags in both groups, and one without tags in none', async () => {
    const entries = await series({ metrics: ['availability'], groupBy: ['tag'] })
    expect(entries.map(({ tag }: { tag: string }) => tag)).toEqual(['shop', 'web'])
    for (const { tag, data } of entries) expect(data[0].total).toBe(runsOf(checks.filter((check) => check.tags.includes(tag))).length)
  })

  test('can be grouped by two dimensions', async () => {
    const entries = await series({ metrics: ['availability', 'duration_avg'], groupBy: ['checkType', 'runLocation'] })
    expect(entries).toHaveLength(checks.length * 2)
    for (const { checkType, runLocation, data } of entries) {
      const runs = runsOf(checks.filter((check) => check.checkType.type === checkType)).filter(
        ({ result }) => result.runLocation === runLocation,
      )
      expect(data[0].total).toBe(runs.length)
      expect(Object.keys(data[0]).slice(0, 2)).toEqual(['checkType', 'runLocation'])
    }
  })

  test('with a confidence has bounds for every percentile, and for nothing else', async () => {
    const metrics = aggregations.map((aggregation) => `duration_${aggregation}`)
    const [row] = (await series({ checks: { ids: [timed[0]?.id] }, metrics, confidence: 95 }))[0].data
    const bounded = metrics.filter((name) => `${name}_low` in row && `${name}_high` in row)
    expect(bounded).toEqual(['duration_median', 'duration_p50', 'duration_p90', 'duration_p95', 'duration_p99'])
    expect(Object.keys(row)).toHaveLength(metrics.length + 2 * bounded.length)
  })

  test('can be grouped by status code, with runs without one last', async () => {
    const entries = await series({ metrics: ['availability'], groupBy: ['statusCode'] })
    expect(entries.map(({ statusCode }: { statusCode: number | null }) => statusCode)).toEqual([200, 201, 202, null])
    for (const { statusCode, data } of entries)
      expect(data[0].total).toBe(runsOf(checks).filter(({ result }) => (result.values.statusCode ?? null) === statusCode).length)
  })

  test('can be grouped by hour and weekday of a time zone', async () => {
    const asked = { metrics: ['duration_max'], quickRange: 'last7Days', timezone: 'Asia/Kolkata', groupBy: ['dayOfWeek', 'hourOfDay'] }
    const entries = await series({ ...asked, checks: { ids: [timed[0]?.id] }, limit: 1000 })
    const runs = runsOf(timed.slice(0, 1), now - 7 * dayMs)
    expect(entries.length).toBeGreaterThan(160)
    for (const { dayOfWeek, hourOfDay, data } of entries) {
      const own = runs.filter(({ result }) => {
        const local = new Date(result.startedAt + 5.5 * hourMs)
        return local.getUTCHours() === hourOfDay && (local.getUTCDay() || 7) === dayOfWeek
      })
      expect(data[0].duration_max).toBe(figure('max', own))
    }
  })
})

describe('filters', () => {
  test('select checks by ids, tags, types and whether they are muted, combined with AND', async () => {
    const count = async (chosen: object) => (await ask({ metrics: ['availability'], checks: chosen })).body.checks
    const [first, second] = checks as [Check, Check]
    expect(await count({})).toBe(checks.length)
    expect(await count({ ids: [first.id, second.id, 'nobody'] })).toBe(2)
    expect(await count({ tags: ['shop'] })).toBe(checks.filter((check) => check.tags.includes('shop')).length)
    expect(await count({ tags: ['shop', 'web'], checkTypes: [first.checkType.type] })).toBe(1)
    expect(await count({ ids: [second.id], checkTypes: [first.checkType.type] })).toBe(0)
    expect(await count({ muted: true })).toBe(checks.filter(({ muted }) => muted).length)
    expect(await count({ muted: false, ids: [first.id, second.id] })).toBe(1)
    expect((await ask({ metrics: ['availability'], checks: { muted: 'no' } })).body).toMatchObject({
      code: 'INVALID_PARAMETER',
      message: expect.stringContaining('checks.muted'),
    })
  })
  test('select results by outcome, location and status code', async () => {
    const total = async (filter: object) => (await series({ metrics: ['availability'], filter }))[0].data[0].total
    const runs = runsOf(checks)
    expect(await total({ status: ['failure'] })).toBe(runs.filter(({ result }) => result.hasFailures).length)
    expect(await total({ runLocation: ['us-east-1'] })).toBe(runs.filter(({ result }) => result.runLocation === 'us-east-1').length)
    expect(await total({ statusCode: [201], status: ['success', 'failure'] })).toBe(
      runs.filter(({ result }) => result.values.statusCode === 201).length,
    )
  })
  test('that match no checks give one row without data', async () => {
    expect(await series({ metrics: ['availability', 'duration_p50'], checks: { ids: ['nobody'] } })).toEqual([
      { data: [{ total: 0, success: 0, availability: null, duration_p50: null }] },
    ])
  })
  test('that match no checks give one series without rows for hourly buckets', async () => {
    expect(await series({ metrics: ['availability'], checks: { ids: ['nobody'] }, aggregationInterval: 60 })).toEqual([{ data: [] }])
  })
  test('that match no checks accept any metric of any type', async () => {
    for (const { metrics } of checkTypes)
      for (const name of Object.keys(metrics))
        expect(await series({ metrics: [`${name}_p99`], checks: { ids: ['nobody'] } })).toEqual([{ data: [{ [`${name}_p99`]: null }] }])
  })
})

describe('rows', () => {
  test.each([
    ['duration_p90', {}],
    ['availability', { availabilityBy: 'time' }],
    ['availability', { availabilityBy: 'time', aggregationInterval: 60, fill: 'null' }],
  ])('are ordered by %s of %j, nulls last, and cut into pages by a cursor', async (metric, more) => {
    const beyondAll = { from: now - 14 * dayMs, to: now }
    for (const direction of ['asc', 'desc']) {
      const asked = {
        metrics: [metric],
        groupBy: ['check'],
        orderBy: { metric, direction },
        limit: 'fill' in more ? 50 : 4,
        ...('availabilityBy' in more && beyondAll),
        ...more,
      }
      const found = new Map<string, (number | null)[]>()
      let cursor: string | null = null
      do {
        const { body }: Answer = await ask({ ...asked, ...(cursor !== null && { cursor }) })
        for (const { check: id, data } of body.series as { check: string; data: Record<string, number | null>[] }[]) {
          const key = 'aggregationInterval' in more ? id : ''
          found.set(key, [...(found.get(key) ?? []), ...data.map((row) => row[metric] ?? null)])
        }
        cursor = body.pagination.next
      } while (cursor !== null)
      for (const values of found.values()) {
        const present = values.filter((value) => value !== null)
        expect(present).toEqual(present.toSorted((a, b) => (direction === 'asc' ? a - b : b - a)))
        expect(new Set(present).size).toBeGreaterThan(1)
        expect(values.slice(0, present.length)).toEqual(present)
        if (metric !== 'availability' || 'fill' in more) expect(values.length).toBeGreaterThan(present.length)
      }
      if (!('aggregationInterval' in more)) expect(found.get('')).toHaveLength(checks.length)
    }
  })
  test('without orderBy are sorted by key across pages', async () => {
    const first = await ask({ metrics: ['availability'], groupBy: ['check'], limit: 5 })
    const second = await ask({ metrics: ['availability'], groupBy: ['check'], limit: 5, cursor: first.body.pagination.next })
    const ids = [first, second].flatMap(({ body }) => body.series.map(({ check }: { check: string }) => check))
    expect(ids).toEqual(checks.map(({ id }) => id).sort())
    expect(second.body.pagination.next).toBeNull()
  })
  test('of buckets are limited within each series', async () => {
    const asked = { metrics: ['availability'], groupBy: ['checkType'], aggregationInterval: 60, limit: 10 }
    const { body } = await ask(asked)
    expect(body.series).toHaveLength(checks.length)
    for (const { data } of body.series) expect(data).toHaveLength(10)
    const rest = await ask({ ...asked, cursor: body.pagination.next, limit: 100 })
    expect(rest.body.series[0].data.length).toBeGreaterThanOrEqual(14)
  })
  test('of buckets are sorted by a metric within each series, nulls last, and split into pages', async () => {
    const asked = { metrics: ['duration_max'], groupBy: ['check'], aggregationInterval: 60, limit: 7 }
    const orderBy = { metric: 'duration_max', direction: 'desc' }
    const maxima = new Map<string, (number | null)[]>(checks.map(({ id }) => [id, []]))
    let cursor: string | null = null
    do {
      const { body }: Answer = await ask({ ...asked, orderBy, ...(cursor !== null && { cursor }) })
      for (const { check, data } of body.series) {
        expect(data.length).toBeGreaterThan(0)
        for (const { duration_max } of data) maxima.get(check)?.push(duration_max)
      }
      cursor = body.pagination.next
    } while (cursor !== null)
    for (const check of checks) {
      const values = maxima.get(check.id) ?? []
      const present = values.flatMap((value) => value ?? [])
      expect(values.length).toBeGreaterThanOrEqual(24)
      expect(present).toEqual(present.toSorted((a, b) => b - a))
      expect(values.slice(present.length).every((value) => value === null)).toBe(true)
      expect(Math.max(...present)).toBe(figure('max', runsOf([check])) ?? Number.NEGATIVE_INFINITY)
    }
  })
  test('that all fit on one page have no next page', async () => {
    const next = async (asked: object) => (await ask({ metrics: ['availability'], ...asked })).body.pagination.next
    expect(await next({ groupBy: ['check'], limit: checks.length })).toBeNull()
    expect(await next({ groupBy: ['check'], limit: checks.length - 1 })).not.toBeNull()
    const hours = { from: now - 2 * hourMs, aggregationInterval: 60, checks: { ids: [checks[0]?.id] } }
    const rows = (await series({ metrics: ['availability'], ...hours }))[0].data.length
    expect(await next({ ...hours, limit: rows })).toBeNull()
    expect(await next({ ...hours, limit: rows - 1 })).not.toBeNull()
  })
})

describe('a comparison', () => {
  const ids = timed.slice(0, 2).map(({ id }) => id)
  test('with the previous period covers the time right before the window, and adds the previous row to each row', async () => {
    const { body } = await ask({
      checks: { ids },
      metrics: ['availability', 'duration_p95'],
      compare: 'previousPeriod',
      groupBy: ['check'],
    })
    expect(body.compared).toEqual({ from: new Date(now - 2 * dayMs).toISOString(), to: new Date(now - dayMs).toISOString() })
    for (const { check, data } of body.series) {
      const own = checks.filter(({ id }) => id === check)
      expect(data[0].previous).toMatchObject({ duration_p95: figure('p95', runsOf(own, now - 2 * dayMs, now - dayMs)) })
    }
    const chosen = checks.filter(({ id }) => ids.includes(id))
    expect(body.cost.results).toBe(runsOf(chosen).length + runsOf(chosen, now - 2 * dayMs, now - dayMs).length)
  })
  test('with a window without results leaves the previous row null', async () => {
    const asked = { checks: { ids }, metrics: ['duration_p95'], from: now - 9 * dayMs, compare: 'previousPeriod', groupBy: ['check'] }
    const entries = await series(asked)
    expect(entries).toHaveLength(2)
    for (const { data } of entries) expect(data).toEqual([{ check: data[0].check, duration_p95: expect.any(Number), previous: null }])
  })
  test('with the same weekdays moves back by whole weeks, just far enough not to overlap', async () => {
    const compared = async (more: object) => (await ask({ metrics: ['availability'], compare: 'sameWeekdays', ...more })).body.compared
    expect(await compared({})).toEqual({ from: new Date(now - 8 * dayMs).toISOString(), to: new Date(now - 7 * dayMs).toISOString() })
    expect(await compared({ quickRange: 'last7Days' })).toMatchObject({ from: new Date(now - 14 * dayMs).toISOString() })
    expect(await compared({ quickRange: 'last30Days' })).toMatchObject({ from: new Date(now - 65 * dayMs).toISOString() })
  })
  test('of a calendar preset uses the calendar period before it, and a custom window may be given', async () => {
    const { body } = await ask({ metrics: ['availability'], quickRange: 'thisMonth', compare: 'previousPeriod', timezone: 'Europe/Berlin' })
    expect(body.compared).toEqual({ from: '2026-09-30T22:00:00.000Z', to: '2026-10-31T22:59:59.999Z' })
    const own = await ask({ metrics: ['availability'], compare: { from: '2026-11-01', to: '2026-11-02' } })
    expect(own.body.compared).toEqual({ from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T23:59:59.999Z' })
  })
  test('of a calendar preset keeps its windows on later pages, even if these are requested in the next week', async () => {
    let clock = Date.parse('2026-11-08T23:59:59.000Z')
    const moving = await openTestApp({ catalogue: testCatalogue({ checks }), now: () => clock })
    const answer = async (cursor?: string) => {
      const payload = { metrics: ['availability'], quickRange: 'thisWeek', aggregationInterval: 'day', fill: null, limit: 2, cursor }
      const body = { ...payload, compare: 'previousPeriod' }
      return (await moving.call({ method: 'POST', url: '/v1/analytics/query', headers: credentials, payload: body })).body
    }
    const first = await answer()
    clock += 2000
    const second = await answer(first.pagination.next)
    expect([second.from, second.to, second.compared]).toEqual([first.from, first.to, first.compared])
    await moving.close()
  })
  test('matches buckets by position', async () => {
    const asked = { checks: { ids }, metrics: ['availability'], aggregationInterval: 'day', fill: 'null', compare: 'previousPeriod' }
    const { body } = await ask({ ...asked, from: '2026-11-12', to: '2026-11-13' })
    const rows = body.series[0].data
    expect(rows.map(({ period }: { period: string }) => period)).toEqual(['2026-11-12T00:00:00.000Z', '2026-11-13T00:00:00.000Z'])
    for (const { previous } of rows) expect(previous.total).toBeGreaterThan(0)
  })
  test('uses confidence intervals to report whether a percentile is higher, lower, or neither', async () => {
    const asked = { checks: { ids: ids.slice(0, 1) }, metrics: ['duration_p50', 'duration_avg'], compare: 'previousPeriod', confidence: 95 }
    const [row] = (await series(asked))[0].data
    expect(row.duration_p50_low).toBeLessThanOrEqual(row.duration_p50)
    expect(row.duration_p50_high).toBeGreaterThanOrEqual(row.duration_p50)
    expect(['higher', 'lower', 'no evidence']).toContain(row.duration_p50_change)
    expect(row).not.toHaveProperty('duration_avg_low')
    expect(row).not.toHaveProperty('duration_avg_change')
    expect(row.previous).toHaveProperty('duration_p50_low')
  })
})

test('hours of the day are counted in the buckets of a zone, also if the last day has results only after the window', async () => {
  const [check] = timed as [Check]
  const results = ['2026-11-01T18:33:00Z', '2026-11-02T20:12:00Z'].map((time) => testResult(check, Date.parse(time)))
  const sealed = await openTestApp({ catalogue: testCatalogue({ checks }), results, now })
  await sealed.store.seal()
  const window = { from: '2026-11-01T14:00:00Z', to: '2026-11-02T14:00:00Z', timezone: 'Pacific/Apia' }
  const payload = { metrics: ['availability'], ...window, aggregationInterval: 'day', groupBy: ['hourOfDay'] }
  const { status, body } = await sealed.call({ method: 'POST', url: '/v1/analytics/query', headers: credentials, payload })
  expect(status).toBe(200)
  const row = { period: '2026-11-02T00:00:00.000+13:00', hourOfDay: 7, total: 1, success: 1, availability: 100 }
  expect(body.series).toEqual([{ hourOfDay: 7, data: [row] }])
  await sealed.close()
})

describe('a histogram', () => {
  const [check] = timed as [Check]
  test('counts values exactly between given bounds, one row for each bucket', async () => {
    const bounds = [5, 50, 500]
    const asked = { checks: { ids: [check.id] }, metrics: ['duration_histogram'], bounds, quickRange: 'last7Days' }
    const rows = (await series(asked))[0].data
    const values = durations(runsOf([check], now - 7 * dayMs))
    expect(rows.map(({ from, to }: { from: number; to: number }) => [from, to])).toEqual([
      [null, 5],
      [5, 50],
      [50, 500],
      [500, null],
    ])
    for (const { from, to, count } of rows)
      expect(count).toBe(values.filter((value) => (from === null || value > from) && (to === null || value <= to)).length)
  })
  test('has the metadata of its metric', async () => {
    const metadata = async (name: string) => (await ask({ checks: { ids: [check.id] }, metrics: [name] })).body.metadata
    const duration = { unit: 'milliseconds', label: 'Duration', aggregation: 'histogram' }
    expect(await metadata('duration_histogram')).toEqual({ duration_histogram: duration })
    const metric = otherMetricOf(check.checkType) ?? ''
    const { unit, label } = check.checkType.metrics[metric] ?? {}
    expect(await metadata(`${metric}_histogram`)).toEqual({ [`${metric}_histogram`]: { unit, label, aggregation: 'histogram' } })
  })
  test('without given bounds chooses them from the data, in steps of 1, 2 and 5', async () => {
    const rows = (await series({ checks: { ids: [check.id] }, metrics: ['duration_histogram'] }))[0].data
    const bounds = rows.flatMap(({ to }: { to: number | null }) => to ?? [])
    for (const bound of bounds.filter((each: number) => each > 0))
      expect([1, 2, 5]).toContain(Number(String(bound.toExponential()).split('e')[0]))
    expect(rows.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(durations(runsOf([check])).length)
  })
})

describe('availability by time', () => {
  const seconds = ['upSeconds', 'degradedSeconds', 'downSeconds', 'maintenanceSeconds', 'unknownSeconds']
  const sum = (row: Record<string, number>) => seconds.reduce((total, name) => total + (row[name] ?? 0), 0)
  test('of several checks is the sum of their time, and of each check or tag its own', async () => {
    const asked = { metrics: ['availability'], availabilityBy: 'time' }
    const [whole] = (await series(asked))[0].data
    expect(sum(whole)).toBeCloseTo((checks.length * dayMs) / 1000, 6)
    const byCheck = await series({ ...asked, groupBy: ['check'] })
    for (const name of seconds)
      expect(
        byCheck.reduce((total: number, { data }: { data: Record<string, number>[] }) => total + (data[0]?.[name] ?? 0), 0),
      ).toBeCloseTo(whole[name], 6)
    const secondsOf = (wanted: (check: Check) => boolean, name: string) =>
      byCheck.reduce((total: number, entry: { check: string; data: Record<string, number>[] }) => {
        const isWanted = checks.some((check) => check.id === entry.check && wanted(check))
        return total + (isWanted ? (entry.data[0]?.[name] ?? 0) : 0)
      }, 0)
    for (const { tag, data } of await series({ ...asked, groupBy: ['tag'] }))
      for (const name of seconds)
        expect(data[0][name]).toBeCloseTo(
          secondsOf(({ tags }) => tags.includes(tag), name),
          6,
        )
    for (const { checkType, data } of await series({ ...asked, groupBy: ['checkType'] }))
      for (const name of seconds)
        expect(data[0][name]).toBeCloseTo(
          secondsOf(({ checkType: { type } }) => type === checkType, name),
          6,
        )
    const [shop] = await series({ ...asked, groupBy: ['tag'], compare: 'previousPeriod' })
    expect(sum(shop.data[0])).toBeCloseTo((checks.filter((check) => check.tags.includes('shop')).length * dayMs) / 1000, 6)
    expect(sum(shop.data[0].previous)).toBeCloseTo(sum(shop.data[0]), 6)
  })
  test('is the same as in the report of one check, also by location and with its intervals', async () => {
    const [check] = timed as [Check]
    const asked = { metrics: ['availability'], availabilityBy: 'time', checks: { ids: [check.id] }, quorum: 'majority' }
    const path = `/v1/analytics/${check.checkType.path}/${check.id}?metrics=availability&availabilityBy=time&quorum=majority`
    const report = await api.get(`${path}&explain=true`)
    const answer = await ask({ ...asked, explain: true })
    expect(answer.body.series).toEqual(report.body.series)
    expect(answer.body.intervals).toEqual(report.body.intervals)
    expect(await series({ ...asked, groupBy: ['runLocation'] })).toEqual((await api.get(`${path}&groupBy=runLocation`)).body.series)
  })
  test.each([
    [{ groupBy: ['hourOfDay'] }, 'groupBy must be of check, tag, checkType, runLocation with availabilityBy=time'],
    [{ metrics: ['duration_histogram'] }, 'A histogram has no availability'],
    [{ explain: true }, 'explain must be used for one check, without groupBy and aggregationInterval'],
    [{ quorum: 0 }, 'quorum'],
    [{ serviceHours: 'office' }, 'serviceHours'],
  ])('rejects %j', async (more, name) => {
    const { status, body } = await ask({ metrics: ['availability'], availabilityBy: 'time', ...more })
    expect([status, body.message]).toEqual([400, expect.stringContaining(name)])
  })
})

describe('an invalid request is rejected with a specific message', () => {
  test.each([
    [{}, 'MISSING_PARAMETER', 'metrics'],
    [{ metrics: [] }, 'INVALID_PARAMETER', 'metrics'],
    [{ metrics: ['duration_p96'] }, 'UNKNOWN_METRIC', 'duration_p95'],
    [{ metrics: ['availability'], metric: 1 }, 'UNKNOWN_PROPERTY', 'metrics'],
    [{ metrics: ['availability'], checks: { tag: ['a'] } }, 'UNKNOWN_PROPERTY', 'tags'],
    [{ metrics: ['availability'], groupBy: ['checks'] }, 'INVALID_PARAMETER', 'check'],
    [{ metrics: ['availability'], groupBy: ['check', 'tag', 'runLocation'] }, 'INVALID_PARAMETER', '0 to 2'],
    [{ metrics: ['availability'], timezone: 'Europe/Berln' }, 'UNKNOWN_TIMEZONE', 'Europe/Berlin'],
    [{ metrics: ['availability'], limit: 1001 }, 'INVALID_PARAMETER', '1000'],
    [{ metrics: ['availability'], limit: '10' }, 'INVALID_PARAMETER', 'limit'],
    [{ metrics: ['availability'], from: 'yesterday' }, 'INVALID_PARAMETER', 'from'],
    [{ metrics: ['availability'], from: 2000, to: 1000 }, 'INVALID_WINDOW', 'from'],
    [{ metrics: ['availability'], cursor: 'x' }, 'INVALID_CURSOR', 'cursor'],
    [{ metrics: ['availability'], orderBy: { metric: 'duration_p95' } }, 'INVALID_PARAMETER', 'availability'],
    [{ metrics: ['availability'], confidence: 100 }, 'INVALID_PARAMETER', 'confidence'],
    [{ metrics: ['duration_histogram', 'availability'] }, 'INVALID_BODY', 'alone'],
    [{ metrics: ['availability'], bounds: [1] }, 'INVALID_BODY', 'histogram'],
    [{ metrics: ['duration_histogram'], bounds: [2, 1] }, 'INVALID_PARAMETER', 'ascending'],
    [{ metrics: ['availability'], aggregationInterval: 7, timezone: 'Europe/Berlin' }, 'INVALID_PARAMETER', 'aggregationInterval'],
  ])('%j', async (body, code, words) => {
    const answer = await ask(body)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe(code)
    expect(answer.body.message).toContain(words)
  })
  test('a metric that some chosen types lack names those types', async () => {
    const [name] = Object.keys(checkTypes.find(({ metrics }) => Object.keys(metrics).length > 0)?.metrics ?? {})
    const answer = await ask({ metrics: [`${name}_p95`] })
    const lacking = checkTypes.filter(({ metrics }) => !Object.hasOwn(metrics, name ?? ''))
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(
      `types: ${lacking
        .map(({ type }) => type)
        .sort()
        .join(', ')}.`,
    )
  })
  test('an unknown metric names the chosen types, if they are few, and the nearest names', async () => {
    const message = async (metric: string, some: readonly Check[]) =>
      (await ask({ metrics: [metric], checks: { ids: some.map(({ id }) => id) } })).body.message
    const types = (some: readonly Check[]) => some.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ checkType }) => checkType.type)
    const [three, four] = [checks.slice(0, 3), checks.slice(0, 4)]
    expect(await message('availabilty', three)).toMatch(`is no metric of ${types(three).join(', ')} checks. Nearest: availability, `)
    expect(await message('retrys', four)).toMatch('is no metric of the chosen checks. Nearest: retries, ')
  })
  test('a metric that only unselected types have is unknown', async () => {
    const without = checks.find(({ checkType }) => checkType.duration === null) as Check
    const [name] = Object.keys(timed[0]?.checkType.metrics ?? {})
    expect((await ask({ metrics: [`${name}_p95`], checks: { ids: [without.id] } })).body.code).toBe('UNKNOWN_METRIC')
  })
  test('a body that is not an object', async () => {
    expect((await api.call({ method: 'POST', url: '/v1/analytics/query', headers: credentials, payload: '[]' })).status).toBe(415)
    expect((await ask([])).body.code).toBe('INVALID_PARAMETER')
  })
})
