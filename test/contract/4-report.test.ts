import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import type { Result } from '../../src/store/store.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { testCatalogue, testCheck } from '../support/catalogue.ts'
import { type TestResult, testResult } from '../support/results.ts'

const minute = 60_000
const now = Date.parse('2026-11-14T10:20:30.456Z')
const places = ['eu-west-1', 'us-east-1']
const checks = checkTypes.map((checkType) => testCheck(checkType, { everyMs: 10 * minute }))
const idle = checkTypes.map((checkType) =>
  testCheck(checkType, { id: `idle-${checkType.path}`, activated: false, muted: true, everyMs: 30_000, tags: [] }),
)

/** Three days of runs, every ten minutes, at two locations in turn: some fail, some are retried, some have no measured values. */
function history(check: Check): readonly TestResult[] {
  return Array.from({ length: 432 }, (_, i) => {
    const broken = i % 50 === 7
    const fields = check.checkType.fields.includes('statusCode') && !broken ? { statusCode: i % 20 === 3 ? 503 : 200 } : {}
    const filed = testResult(check, now - i * 10 * minute, {
      runLocation: places[i % 2] ?? '',
      hasFailures: broken || i % 20 === 3,
      isDegraded: i % 9 === 0,
      attempts: 1 + (i % 5 === 0 ? 2 : 0),
    })
    const measured: Partial<Result> = broken ? { values: {}, pages: [] } : { values: { ...filed.result.values, ...fields } }
    return { ...filed, result: { ...filed.result, ...measured } }
  })
}

const histories = new Map(checks.map((check) => [check.checkType.type, history(check).map(({ result }) => result)]))
let api: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks: [...checks, ...idle] }), results: checks.flatMap(history), now })
})
afterAll(() => api.close())

type Row = Readonly<Record<string, string | number | boolean | null>>
type Series = Readonly<Record<string, unknown>> & { readonly data: readonly Row[] }

describe.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))('%s', (type, checkType) => {
  const runs = histories.get(type) ?? []
  const lastDay = runs.filter(({ startedAt }) => startedAt >= now - 1440 * minute)
  const ask = (query: string) => api.get(`/v1/analytics/${checkType.path}/check-${checkType.path}?${query}`)
  const askIdle = (query: string) => api.get(`/v1/analytics/${checkType.path}/idle-${checkType.path}?${query}`)
  const seriesOf = async (query: string): Promise<readonly Series[]> => (await ask(query)).body.series
  const only = async (query: string): Promise<readonly Row[]> => (await seriesOf(query))[0]?.data ?? []

  test('the keys have a fixed order that clients rely on', async () => {
    const { body } = await ask('metrics=availability')
    expect(Object.keys(body)).toEqual([
      'checkId',
      'name',
      'checkType',
      'activated',
      'muted',
      'frequency',
      'from',
      'to',
      'tags',
      'series',
      'metadata',
      'pagination',
    ])
    expect(body).toMatchObject({
      checkId: `check-${checkType.path}`,
      checkType: type,
      activated: true,
      muted: false,
      frequency: 10,
      tags: ['web'],
    })
  })
  test('frequency is 0 for a check that runs more than once a minute', async () => {
    expect((await askIdle('metrics=availability')).body).toMatchObject({ frequency: 0, activated: false, muted: true, tags: [] })
  })
  test('availability follows its counts: success / total × 100', async () => {
    const success = lastDay.filter(({ hasFailures }) => !hasFailures).length
    const { text } = await ask('metrics=availability')
    const row = { total: lastDay.length, success, availability: (success / lastDay.length) * 100 }
    expect(text).toContain(`"series":[{"data":[${JSON.stringify(row)}]}]`)
  })
  test('retries is the sum of attempts minus one', async () => {
    expect(await only('metrics=retries')).toEqual([{ retries: lastDay.reduce((sum, { attempts }) => sum + attempts - 1, 0) }])
  })
  test('without data in the window, there is one row with counts 0 and values null', async () => {
    const { body } = await askIdle('metrics=availability,retries')
    expect(body.series).toEqual([{ data: [{ total: 0, success: 0, availability: null, retries: null }] }])
    expect((await askIdle('metrics=availability&aggregationInterval=60')).body.series).toEqual([{ data: [] }])
  })
  test('availability and retries have no aggregation in metadata', async () => {
    expect((await ask('metrics=retries,availability')).body.metadata).toEqual({
      retries: { unit: 'count', label: 'Retries' },
      availability: { unit: 'percentage', label: 'Availability' },
    })
  })
  test('buckets are aligned to the clock and ascending, and empty ones are left out', async () => {
    const rows = await only('metrics=availability&aggregationInterval=60&limit=100')
    const starts = [...new Set(lastDay.map(({ startedAt }) => startedAt - (startedAt % (60 * minute))))].sort((a, b) => a - b)
    expect(rows.map(({ period }) => period)).toEqual(starts.map((start) => new Date(start).toISOString()))
    expect(Object.keys(rows[0] ?? {})).toEqual(['period', 'total', 'success', 'availability'])
    const sparse = await only('metrics=availability&aggregationInterval=1&limit=100')
    expect(sparse).toHaveLength(Math.min(100, lastDay.length))
  })
  test('the buckets of a window add up to the whole', async () => {
    const [whole] = await only('metrics=availability,retries&quickRange=last7Days')
    for (const interval of [7, 60, 97, 1440]) {
      const rows = await every(ask, `metrics=availability,retries&quickRange=last7Days&aggregationInterval=${interval}`)
      for (const name of ['total', 'success', 'retries']) {
        expect([interval, name, rows.reduce((sum, row) => sum + Number(row[name]), 0)]).toEqual([interval, name, whole?.[name]])
      }
    }
  })
  test('weeks start on Monday, and the first period may lie before from', async () => {
    const rows = await only('metrics=availability&quickRange=last30Days&aggregationInterval=10080')
    expect(rows.map(({ period }) => period)).toEqual(['2026-11-09T00:00:00.000Z'])
    const days = await only('metrics=availability&from=2026-11-13T12:00:00Z&aggregationInterval=1440')
    expect(days.map(({ period }) => period)).toEqual(['2026-11-13T12:00:00.000Z'])
    const twoDays = await only('metrics=availability&from=2026-11-12T12:00:00Z&aggregationInterval=1440')
    expect(twoDays.map(({ period }) => period)).toEqual([
      '2026-11-12T00:00:00.000Z',
      '2026-11-13T00:00:00.000Z',
      '2026-11-14T00:00:00.000Z',
    ])
  })
  test('an interval at least as long as the window gives one bucket that starts at from', async () => {
    for (const interval of [1440, 1441, 43_200]) {
      const rows = await only(`metrics=availability&aggregationInterval=${interval}`)
      expect(rows.map(({ period, total }) => [period, total])).toEqual([[new Date(now - 1440 * minute).toISOString(), lastDay.length]])
    }
  })
  test('pages count buckets, and a page past the end is empty', async () => {
    const all = await only('metrics=availability&aggregationInterval=60&limit=100')
    expect(await only('metrics=availability&aggregationInterval=60&limit=7&page=2')).toEqual(all.slice(7, 14))
    expect(await seriesOf('metrics=availability&aggregationInterval=60&page=99')).toEqual([{ data: [] }])
    expect(await seriesOf('metrics=availability&page=2')).toEqual([{ data: [] }])
  })
  test('the same query over the same data gives the same bytes', async () => {
    const query = `metrics=${['availability', ...Object.keys(checkType.metrics).map((name) => `${name}_stddev`)].join(',')}&aggregationInterval=60`
    expect((await ask(query)).text).toBe((await ask(query)).text)
  })

  if (checkType.groupBy.some(({ by }) => by === 'location')) {
    test('groups are entries with their key first, ascending', async () => {
      const series = await seriesOf('metrics=availability&groupBy=runLocation')
      expect(series.map(({ runLocation }) => runLocation)).toEqual(places)
      for (const entry of series) {
        expect(Object.keys(entry)).toEqual(['runLocation', 'data'])
        expect(entry.data.map((row) => Object.keys(row))).toEqual([['runLocation', 'total', 'success', 'availability']])
        expect(entry.data[0]?.total).toBe(lastDay.filter(({ runLocation }) => runLocation === entry.runLocation).length)
      }
    })
    test('grouped results without data have no entries', async () => {
      expect((await askIdle('metrics=availability&groupBy=runLocation')).body.series).toEqual([])
      expect((await askIdle('metrics=availability&groupBy=runLocation&aggregationInterval=5')).body.series).toEqual([])
    })
    test('pages count groups where each group is one row', async () => {
      expect((await seriesOf('metrics=availability&groupBy=runLocation&limit=1&page=2')).map(({ runLocation }) => runLocation)).toEqual([
        'us-east-1',
      ])
      expect(await seriesOf('metrics=availability&groupBy=runLocation&limit=1&page=3')).toEqual([])
    })
    test('pages count buckets within each series', async () => {
      const series = await seriesOf('metrics=availability&groupBy=runLocation&aggregationInterval=60&limit=3&page=2')
      const all = await seriesOf('metrics=availability&groupBy=runLocation&aggregationInterval=60&limit=100')
      expect(series).toEqual(all.map((entry) => ({ ...entry, data: entry.data.slice(3, 6) })))
      expect(Object.keys(series[0]?.data[0] ?? {})).toEqual(['period', 'runLocation', 'total', 'success', 'availability'])
    })
  }

  if (checkType.groupBy.some(({ name }) => name === 'statusCode')) {
    test('statusCode is a number, and runs with no response are null, last', async () => {
      const series = await seriesOf('metrics=availability&groupBy=statusCode')
      expect(series.map(({ statusCode }) => statusCode)).toEqual([200, 503, null])
      expect(series.map(({ data }) => data[0]?.statusCode)).toEqual([200, 503, null])
    })
  }

  const { duration } = checkType
  if (duration !== null) {
    const values = lastDay.flatMap(({ values: own }) => own[duration] ?? [])

    test('percentiles equal PERCENTILE of a spreadsheet over the raw rows', async () => {
      const raw = (await every(ask, `metrics=${duration}`)).flatMap((row) => (typeof row[duration] === 'number' ? [row[duration]] : []))
      expect(raw.toSorted((a, b) => a - b)).toEqual(values.toSorted((a, b) => a - b))
      const [row] = await only(
        `metrics=${['p50', 'median', 'p90', 'p95', 'p99', 'min', 'max'].map((suffix) => `${duration}_${suffix}`).join(',')}`,
      )
      expect(row).toEqual({
        [`${duration}_p50`]: percentile(raw, 0.5),
        [`${duration}_median`]: percentile(raw, 0.5),
        [`${duration}_p90`]: percentile(raw, 0.9),
        [`${duration}_p95`]: percentile(raw, 0.95),
        [`${duration}_p99`]: percentile(raw, 0.99),
        [`${duration}_min`]: Math.min(...raw),
        [`${duration}_max`]: Math.max(...raw),
      })
    })
    test('avg, sum and stddev are those of all measured values', async () => {
      const [row] = await only(`metrics=${duration}_avg,${duration}_sum,${duration}_stddev`)
      const sum = values.reduce((total, value) => total + value, 0)
      const avg = sum / values.length
      const deviation = Math.sqrt(values.reduce((total, value) => total + (value - avg) ** 2, 0) / values.length)
      expect(row?.[`${duration}_sum`]).toBeCloseTo(sum, 6)
      expect(row?.[`${duration}_avg`]).toBeCloseTo(avg, 9)
      expect(row?.[`${duration}_stddev`]).toBeCloseTo(deviation, 9)
    })
    test('raw metrics give one row per run, newest first', async () => {
      const { body } = await ask(`metrics=${duration},availability,retries`)
      const rows: readonly Row[] = body.series[0].data
      expect(body.series).toHaveLength(1)
      expect(rows).toEqual(
        lastDay.slice(0, 10).map(({ startedAt, runLocation, hasFailures, attempts, values: own }) => ({
          startedAt: new Date(startedAt).toISOString(),
          runLocation,
          hasFailures,
          attempts,
          [duration]: own[duration] ?? null,
          availability: hasFailures ? 0 : 100,
          retries: attempts - 1,
        })),
      )
      expect(Object.keys(rows[0] ?? {})).toEqual([
        'startedAt',
        'runLocation',
        'hasFailures',
        'attempts',
        duration,
        'availability',
        'retries',
      ])
      expect(body.metadata[duration]).not.toHaveProperty('aggregation')
    })
    test('raw pages go through all runs, and a page past the end is empty', async () => {
      expect(await every(ask, `metrics=${duration}`)).toHaveLength(lastDay.length)
      expect(await seriesOf(`metrics=${duration}&page=99`)).toEqual([{ data: [] }])
      expect((await askIdle(`metrics=${duration}`)).body.series).toEqual([{ data: [] }])
      expect((await askIdle(`metrics=${duration}&groupBy=runLocation`)).body.series).toEqual([])
    })
    test('raw rows with groupBy have one entry per group', async () => {
      const series = await seriesOf(`metrics=${duration}&groupBy=runLocation&limit=4`)
      expect(series.map(({ runLocation, data }) => [runLocation, data.length])).toEqual(places.map((place) => [place, 4]))
      for (const { runLocation, data } of series) expect(new Set(data.map((row) => row.runLocation))).toEqual(new Set([runLocation]))
    })
    test('aggregationInterval is ignored for raw metrics', async () => {
      expect((await ask(`metrics=${duration}&aggregationInterval=60`)).text).toBe((await ask(`metrics=${duration}`)).text)
    })
    test('bases without a suffix next to suffixed names are averages, as the metadata says', async () => {
      const { body } = await ask(`metrics=${duration},${duration}_avg`)
      const [row] = body.series[0].data
      expect(row[duration]).toBe(row[`${duration}_avg`])
      expect(body.metadata[duration].aggregation).toBe('avg')
    })
    test('a metric that no run measured is null', async () => {
      const query = `metrics=availability,${duration}_p99,${duration}_sum&filterByStatus=success`
      expect((await askIdle(query)).body.series[0].data).toEqual([
        { total: 0, success: 0, availability: null, [`${duration}_p99`]: null, [`${duration}_sum`]: null },
      ])
    })
  }

  const perPage = Object.keys(checkType.metrics).filter((name) => checkType.metrics[name]?.perPage)
  if (checkType.groupBy.some(({ by }) => by === 'page') && duration !== null) {
    const [vital = ''] = perPage
    const visited = lastDay.filter(({ pages }) => pages.length > 0)

    test('pageIndex groups have the address and the number of each page', async () => {
      const { text } = await ask(`metrics=${vital}_max&groupBy=pageIndex`)
      const most = (page: number) => Math.max(...visited.map(({ pages }) => pages[page]?.values[vital] ?? 0))
      const rows = ['https://example.test/', 'https://example.test/basket'].map((pageUrl, pageIndex) => ({
        pageIndex,
        data: [{ pageUrl, pageIndex, [`${vital}_max`]: most(pageIndex) }],
      }))
      expect(text).toContain(`"series":${JSON.stringify(rows)}`)
    })
    test('run-level metrics repeat on each page', async () => {
      const series = await seriesOf(`metrics=${duration}_max,availability&groupBy=pageIndex`)
      const most = Math.max(...visited.map(({ values }) => values[duration] ?? 0))
      expect(series.map(({ data }) => [data[0]?.[`${duration}_max`], data[0]?.total])).toEqual([
        [most, visited.length],
        [most, visited.length],
      ])
    })
    test('ungrouped web vitals are computed over every page of every run', async () => {
      const everyPage = visited.flatMap(({ pages }) => pages.flatMap(({ values }) => values[vital] ?? []))
      expect(await only(`metrics=${vital}_p95`)).toEqual([{ [`${vital}_p95`]: percentile(everyPage, 0.95) }])
    })
    test('raw metrics grouped by pageIndex have one row per page of a run', async () => {
      const series = await seriesOf(`metrics=${vital},${duration}&groupBy=pageIndex&limit=2`)
      expect(series.map(({ pageIndex }) => pageIndex)).toEqual([0, 1])
      expect(Object.keys(series[1]?.data[0] ?? {})).toEqual([
        'startedAt',
        'runLocation',
        'hasFailures',
        'attempts',
        'pageUrl',
        'pageIndex',
        vital,
        duration,
      ])
      expect(series[1]?.data[0]).toMatchObject({
        pageUrl: 'https://example.test/basket',
        pageIndex: 1,
        [vital]: visited[0]?.pages[1]?.values[vital],
      })
    })
  }
})

/** Rank interpolation as a spreadsheet's PERCENTILE does it. */
function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = fraction * (sorted.length - 1)
  const low = sorted[Math.floor(rank)] ?? Number.NaN
  const high = sorted[Math.ceil(rank)] ?? Number.NaN
  return low + (high - low) * (rank - Math.floor(rank))
}

/** All rows of the first series, page after page. */
async function every(ask: (query: string) => ReturnType<TestApp['get']>, query: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let page = 1; ; page++) {
    const data: readonly Row[] = (await ask(`${query}&limit=100&page=${page}`)).body.series[0].data
    if (data.length === 0) return rows
    rows.push(...data)
  }
}
