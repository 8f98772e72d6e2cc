import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { utc } from '../../src/calendar/zone.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { csvRecords } from '../../src/text/csv.ts'
import { minuteMs } from '../../src/time.ts'
import { type Answer, openTestApp, type TestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck, testSlo } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const now = Date.parse('2026-11-14T10:00:00.000Z')
const checks = checkTypes.map((checkType) => testCheck(checkType))
const formula = '=HYPERLINK("http://example.test","see, here")'
const shop = testCheck(anyRunType(), { id: 'shop', name: formula, tags: ['shop'], locations: ['eu'] })
const report = `/v1/analytics/${shop.checkType.path}/shop`

/** Every minute of an hour at one location; minutes 20 to 29 fail. */
const results = [...checks, shop].flatMap((check) =>
  Array.from({ length: 60 }, (_, i) => {
    const failing = i >= 20 && i < 30
    const error = failing ? '@SUM(1+1)' : null
    return testResult(check, now - (60 - i) * minuteMs, { runLocation: 'eu', hasFailures: failing, error })
  }),
)

let api: TestApp
beforeAll(async () => {
  const slos = [testSlo('web'), testSlo('fast', { window: { kind: 'calendar', unit: 'month', zone: utc } })]
  api = await openTestApp({ catalogue: testCatalogue({ checks: [...checks, shop], policies: { slos } }), results, now })
})
afterAll(() => api.close())

const post = (url: string, payload: object, headers = {}) =>
  api.call({ method: 'POST', url, headers: { ...credentials, ...headers }, payload })
const ask = (body: object) => post('/v1/analytics/query?format=csv', body)

/** The cells of a CSV response, line by line. */
async function linesOf({ status, headers, text }: Answer): Promise<readonly (readonly string[])[]> {
  expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present'])
  expect(text.endsWith('\r\n')).toBe(true)
  const records = []
  for await (const { cells } of csvRecords(Readable.from([text]), 100_000)) records.push(cells)
  expect(new Set(records.map(({ length }) => length)).size).toBe(1)
  return records
}

const textOf = (value: unknown) => (value === null || value === undefined ? '' : String(value))

describe('a report as CSV', () => {
  test.each(checks)('of $checkType.type has the same figures as the JSON, to the digit', async ({ id, checkType }) => {
    const url = `/v1/analytics/${checkType.path}/${id}?metrics=availability,retries&aggregationInterval=15`
    const { body } = await api.get(url)
    const [header, ...rows] = await linesOf(await api.get(`${url}&format=csv`))
    const data: readonly object[] = body.series[0].data
    expect(header).toEqual(['period', 'total', 'success', 'availability', 'retries'])
    expect(rows).toEqual(data.map((row) => Object.values(row).map(textOf)))
    expect(rows.length).toBe(4)
  })
  test.each(checks.filter(({ checkType }) => checkType.groupBy.length > 0))(
    'of $checkType.type has the group in each row',
    async ({ id, checkType }) => {
      for (const { name } of checkType.groupBy) {
        const url = `/v1/analytics/${checkType.path}/${id}?metrics=availability&groupBy=${name}`
        const { body } = await api.get(url)
        const [header = [], ...rows] = await linesOf(await api.get(`${url}&format=csv`))
        expect(header[0]).toBe(name)
        expect(rows.map(([key]) => key)).toEqual(body.series.map((series: Record<string, unknown>) => textOf(series[name])))
      }
    },
  )
  test('of single runs has a row for each run of the page', async () => {
    const metric = shop.checkType.duration ?? ''
    const lines = await linesOf(await api.get(`${report}?metrics=${metric}&limit=3&page=2&format=csv`))
    expect(lines[0]).toEqual(['startedAt', 'runLocation', 'hasFailures', 'attempts', metric])
    expect(lines.slice(1).map(([startedAt]) => startedAt)).toEqual([
      '2026-11-14T09:56:00.000Z',
      '2026-11-14T09:55:00.000Z',
      '2026-11-14T09:54:00.000Z',
    ])
  })
  test('without rows still has its header', async () => {
    const metric = shop.checkType.duration ?? ''
    const window = 'from=2020-01-01&to=2020-01-02&format=csv'
    const grouped = `${report}?metrics=availability,${metric}_p95&groupBy=runLocation&aggregationInterval=day&availabilityBy=time&${window}`
    expect((await api.get(`${report}?metrics=${metric}&groupBy=runLocation&${window}`)).text).toBe(
      `runLocation,startedAt,hasFailures,attempts,${metric}\r\n`,
    )
    expect((await api.get(grouped)).text).toBe(
      'runLocation,period,total,success,upSeconds,degradedSeconds,downSeconds,maintenanceSeconds,unknownSeconds,' +
        `availability,${metric}_p95\r\n`,
    )
    const states = `${report}?metrics=availability&availabilityBy=time&explain=true&from=2030-01-01&to=2030-01-02&format=csv`
    expect((await api.get(states)).text).toBe('from,to,state\r\n')
  })
  test('with explain=true is the table of states', async () => {
    const url = `${report}?metrics=availability&availabilityBy=time&explain=true`
    const { body } = await api.get(url)
    const [header, ...rows] = await linesOf(await api.get(`${url}&format=csv`))
    expect(header).toEqual(['from', 'to', 'state'])
    expect(rows).toEqual(body.intervals.map(Object.values))
  })
})

describe('the format of a response', () => {
  const url = `${report}?metrics=availability`
  test.each([
    ['text/csv', 'csv'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['application/json;q=0.5, text/csv', 'csv'],
    ['text/*', 'csv'],
    ['application/json, text/csv', 'json'],
    ['text/csv;q=0, */*', 'json'],
    ['*/*', 'json'],
    ['image/png', 'json'],
    ['nonsense', 'json'],
  ])('follows Accept: %s', async (accept, format) => {
    const { status, headers } = await api.get(url, { ...credentials, accept })
    expect([status, String(headers['content-type']).includes(format)]).toEqual([200, true])
    expect(headers.vary).toContain('Accept')
  })
  test('prefers the parameter to the header', async () => {
    const json = await api.get(`${url}&format=json`, { ...credentials, accept: 'text/csv' })
    expect(json.body).toEqual((await api.get(url)).body)
    expect((await api.get(`${url}&format=csv`, { ...credentials, accept: 'application/json' })).text).toMatch(/^total,/)
  })
  test.each(['/v1/slos?', '/v1/slos/web?', '/v1/analytics/outages?', `${url}&`])('%s rejects an unknown one', async (path) => {
    for (const format of ['xlsx', 'CSV', '']) {
      const { status, body } = await api.get(`${path}format=${format}`)
      expect([status, body.code, body.message]).toEqual([400, 'INVALID_PARAMETER', 'format must be one of json, csv.'])
    }
  })
  test('of POST queries is the only parameter that they accept', async () => {
    const { status, body } = await post('/v1/analytics/query?fromat=csv', { metrics: ['availability'] })
    expect([status, body.code, body.message]).toEqual([
      400,
      'UNKNOWN_PARAMETER',
      '"fromat" is no parameter of this endpoint. Nearest: format.',
    ])
  })
  test('stays JSON for errors', async () => {
    const { status, body } = await api.get(`${report}?metrics=availabilty&format=csv`, { ...credentials, accept: 'text/csv' })
    expect([status, body.code]).toEqual([400, 'UNKNOWN_METRIC'])
  })
})

describe('a query over many checks as CSV', () => {
  test('has keys, name and figures in each row, and escapes formulas', async () => {
    const answer = await ask({ checks: { ids: ['shop'] }, metrics: ['availability'], groupBy: ['check', 'runLocation'] })
    const availability = (50 / 60) * 100
    expect(answer.text).toBe(
      'check,name,runLocation,total,success,availability\r\n' +
        `shop,"'=HYPERLINK(""http://example.test"",""see, here"")",eu,60,50,${availability}\r\n`,
    )
  })
  test('has the compared figures in separate columns, also when they are empty', async () => {
    const question = { checks: { ids: ['shop'] }, metrics: ['availability'], from: '2026-11-14T09:30:00Z', to: '2026-11-14T10:00:00Z' }
    const figures = ['total', 'success', 'availability']
    const previous = figures.map((name) => `previous.${name}`)
    const [header, row] = await linesOf(await ask({ ...question, compare: 'previousPeriod' }))
    expect(header).toEqual([...figures, ...previous])
    expect(row).toEqual(['30', '30', '100', '31', '21', textOf((21 / 31) * 100)])
    const compare = { from: '2020-01-01', to: '2020-01-02' }
    const [grouped] = await linesOf(await ask({ ...question, groupBy: ['check'], compare }))
    expect(grouped).toEqual(['check', 'name', ...figures, 'previous.check', ...previous])
  })
  test('has the edges of a histogram', async () => {
    const question = { checks: { ids: ['shop'] }, metrics: ['duration_histogram'], bounds: [50] }
    const [header, ...rows] = await linesOf(await ask(question))
    expect(header).toEqual(['from', 'to', 'count'])
    expect(rows.length).toBe(2)
    const none = await ask({ ...question, from: '2020-01-01', to: '2020-01-02', groupBy: ['runLocation'] })
    expect(none.text).toBe('runLocation,from,to,count\r\n')
  })
  test('has the cursor of its next page in a header', async () => {
    const question = { metrics: ['availability'], groupBy: ['check'], limit: 4 }
    const first = await ask(question)
    const next = await ask({ ...question, cursor: first.headers['x-next-cursor'] })
    const last = await ask({ ...question, limit: 1000 })
    expect([first, next].map(({ text }) => text.split('\r\n').length)).toEqual([6, 6])
    expect(last.headers['x-next-cursor']).toBeUndefined()
    expect(last.text).toContain(next.text.split('\r\n')[1])
  })
})

describe('the summary as CSV', () => {
  test('has a column for each figure of any type', async () => {
    const checkIds = checks.map(({ id }) => id)
    const { body } = await post('/v1/analytics/checks', { checkIds })
    const [header = [], ...rows] = await linesOf(await post('/v1/analytics/checks', { checkIds }, { accept: 'text/csv' }))
    expect(new Set(header)).toEqual(new Set(body.flatMap(Object.keys)))
    expect(rows).toEqual(body.map((line: Record<string, unknown>) => header.map((name) => textOf(line[name]))))
  })
  test('has a row for each bucket of each check', async () => {
    const answer = await post('/v1/analytics/checks?format=csv&aggregationInterval=30', { checkIds: ['shop'] })
    const lines = await linesOf(answer)
    expect(lines[0]).toEqual(expect.arrayContaining(['checkId', 'availability', 'data.period', 'data.total', 'data.availability']))
    expect(lines.length).toBe(3)
  })
  test('without checks is only its header', async () => {
    expect((await post('/v1/analytics/checks?format=csv', { checkIds: ['none'] })).text).toBe('checkId,checkType,availability\r\n')
  })
})

describe('outages as CSV', () => {
  const url = '/v1/analytics/outages?format=csv'
  test('have one row each, with lists in one cell and escaped formulas', async () => {
    const { text } = await api.get(`${url}&checkId=shop`)
    expect(text).toBe(
      'checkId,name,checkType,from,to,seconds,locations,reason,firstResultId,lastResultId,maintenance\r\n' +
        `shop,"'=HYPERLINK(""http://example.test"",""see, here"")",${shop.checkType.type},` +
        `2026-11-14T09:20:00.000Z,2026-11-14T09:30:00.000Z,600,eu,'@SUM(1+1),${idAt(20)},${idAt(29)},false\r\n`,
    )
  })
  test('are only a header when there are none', async () => {
    expect((await api.get(`${url}&from=2020-01-01&to=2020-01-02`)).text.split('\r\n')).toHaveLength(2)
  })
  test('continue from the cursor in the header', async () => {
    const first = await api.get(`${url}&limit=3`)
    const next = await api.get(`${url}&limit=1000&cursor=${first.headers['x-next-cursor']}`)
    const all = await api.get(`${url}&limit=1000`)
    expect(first.text + next.text.slice(next.text.indexOf('\n') + 1)).toBe(all.text)
    expect(next.headers['x-next-cursor']).toBeUndefined()
  })
})

describe('SLOs as CSV', () => {
  test('have one row each, without their days', async () => {
    const { body } = await api.get('/v1/slos')
    const [header = [], ...rows] = await linesOf(await api.get('/v1/slos?format=csv'))
    const cells = rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i]])))
    expect(cells.map((row) => [row.id, row.attained, row['budget.left'], row['burnRate.24h'], row['window.unit']])).toEqual(
      body.map((slo: typeof body) => [slo.id, slo.attained, slo.budget.left, slo.burnRate['24h'], slo.window.unit].map(textOf)),
    )
    expect(header).not.toContain('days')
  })
  test('have a row for each day when only one is requested', async () => {
    const { body } = await api.get('/v1/slos/web')
    const [header, ...rows] = await linesOf(await api.get('/v1/slos/web', { ...credentials, accept: 'text/csv' }))
    expect(header).toEqual(['day', 'attained', 'budgetLeft'])
    expect(rows).toEqual(body.days.map((day: object) => Object.values(day).map(textOf)))
  })
})

const idAt = (minute: number) => testResult(shop, now - (60 - minute) * minuteMs, { runLocation: 'eu' }).result.id
