import { expect, test } from 'vitest'
import { curl, grafana, sheetsFormula, sheetsScript } from './recipes.ts'
import { csv, tableRows } from './rows.ts'

const server = { origin: 'http://127.0.0.1:8787', account: "o'acme" }
const path = '/v1/analytics/x/1?metrics=total_p95&limit=100&page=[1-2]'

test('a cell that a spreadsheet would run as a formula is defused, and quotes are kept', () => {
  expect(csv([['name'], ['=SUM(A1)'], ['a "b", c'], ['-1'], [-1], [null]])).toBe('name\r\n\'=SUM(A1)\r\n"a ""b"", c"\r\n-1\r\n-1\r\n\r\n')
})

test('rows with different columns share one header', () => {
  expect(tableRows([{ a: 1 }, { b: 2 }])).toEqual([
    ['a', 'b'],
    [1, null],
    [null, 2],
  ])
})

test('the curl command reads the key from the environment and is quoted for a shell', () => {
  expect(curl([{ path }], server)).toBe(
    `curl -sS 'http://127.0.0.1:8787${path}' \\\n  -H "Authorization: Bearer $TIDEMARK_KEY" \\\n  -H 'X-Service-Account: o'\\''acme'`,
  )
})

test('the spreadsheet function requests every page and returns rows under one header', () => {
  const asked: string[] = []
  const fetch = (url: string) => {
    asked.push(url)
    return { getContentText: () => JSON.stringify({ series: [{ data: [{ period: url.at(-1), total_p95: null }] }] }) }
  }
  const services = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: () => 'the key' }) },
    UrlFetchApp: { fetch },
  }
  const formula = sheetsFormula([{ path }]).slice(1)
  const sheet = new Function(...Object.keys(services), `${sheetsScript(server)}; return ${formula}`)
  expect(sheet(...Object.values(services))).toEqual([
    ['period', 'total_p95'],
    ['1', ''],
    ['2', ''],
  ])
  expect(asked.map((url) => url.slice(-1))).toEqual(['1', '2'])
})

test('a CSV response becomes rows of numbers and texts in a spreadsheet, and one target of a Grafana panel', () => {
  const path = '/v1/check-results/shop/export?format=csv&from=2026-11-14T00:00:00.000Z'
  const services = {
    PropertiesService: { getScriptProperties: () => ({ getProperty: () => 'the key' }) },
    UrlFetchApp: { fetch: () => ({ getContentText: () => 'id,total,error\na1,-12.5,' }) },
    Utilities: { parseCsv: (text: string) => text.split('\n').map((line) => line.split(',')) },
  }
  const sheet = new Function(...Object.keys(services), `${sheetsScript(server)}; return ${sheetsFormula([{ path }]).slice(1)}`)
  expect(sheet(...Object.values(services))).toEqual([
    ['id', 'total', 'error'],
    ['a1', -12.5, ''],
  ])
  const targets = JSON.parse(grafana([{ path }], server, { root: '', rows: [], wholeCsv: true }))
  expect(targets).toMatchObject([{ type: 'csv', format: 'table', url: server.origin + path, columns: [] }])
})

test('a Grafana panel gets one target for each page, with typed columns', () => {
  const targets = JSON.parse(
    grafana([{ path }], server, {
      root: 'series.data',
      rows: [
        ['period', 'total_p95'],
        ['2026-11-14T00:00:00.000Z', 3],
      ],
    }),
  )
  expect(targets).toHaveLength(2)
  expect(targets[1]).toMatchObject({
    refId: 'B',
    format: 'timeseries',
    url: 'http://127.0.0.1:8787/v1/analytics/x/1?metrics=total_p95&limit=100&page=2',
    root_selector: 'series.data',
    columns: [
      { selector: 'period', type: 'timestamp' },
      { selector: 'total_p95', type: 'number' },
    ],
  })
})
