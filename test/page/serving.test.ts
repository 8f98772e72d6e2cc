// @slow
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { oneTimeCode } from '../../src/cli/demo/one-time-code.ts'
import { hourMs } from '../../src/time.ts'
import { credentials } from '../support/catalogue.ts'
import { type PageServer, startPageServer } from './server.ts'

let server: PageServer
beforeAll(async () => {
  server = await startPageServer({ days: 1 })
})
afterAll(() => server?.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.origin + path, { headers })
const built = new URL('../../dist/web/', import.meta.url)

test.each([
  '/',
  '/checks/any-id',
  '/checks/any-id/badge',
  '/checks/any-id/edit',
  '/new',
  '/checks/any-id/',
  '/alerts',
  '/alerts/any-id',
  '/slos',
  '/slos/any-id',
  '/locations',
  '/overview',
  '/wall',
])('%s is the page, without credentials', async (path) => {
  const response = await get(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
})

test('an unknown path is a page with a link back for browsers, and JSON for other clients', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  for (const path of ['/nothing', '/checks/a/b/c/d', '/v1/nothing']) {
    const response = await get(path, browser)
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('<a href="/">All checks</a>')
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      expect(await (await get(path, { ...credentials, ...headers })).json()).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
      expect((await get(path, headers)).status).toBe(401)
    }
  }
  expect((await get('/v1/checks', browser)).status).toBe(401)
})

test('the page allows no scripts, styles or requests but its own', async () => {
  const response = await get('/')
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(policy).not.toMatch(/unsafe|http|\*/)
  expect(await response.text()).not.toMatch(/<style|style=|<script(?![^>]* src=)| on\w+=|https?:/)
})

test('files named by their content are immutable, and the page is revalidated by its ETag', async () => {
  const page = await get('/')
  for (const [, path = ''] of (await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
    expect((await get(path)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
  expect((await get('/', { 'if-none-match': page.headers.get('etag') ?? '' })).status).toBe(304)
})

test('a file that is no longer part of the page is not found, also without credentials', async () => {
  for (const path of ['/assets/index-gone.js', '/assets/..%2Findex.html', '/assets/constructor'])
    expect([(await get(path)).status, await (await get(path)).json()]).toMatchObject([404, { code: 'ROUTE_NOT_FOUND' }])
})

test('the whole built page is under 165 KB gzipped', () => {
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'))
  const bytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, built))).length, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThan(165_000)
})

test('the first view loads at most 60 KB of scripts gzipped, without charts and forms', () => {
  const html = readFileSync(new URL('index.html', built), 'utf8')
  const entry = /src="\/(assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ''
  const scripts = withImports(entry)
  const bytes = [...scripts].reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, built))).length, 0)
  expect(bytes).toBeGreaterThan(5000)
  expect(bytes).toBeLessThan(60_000)
  expect([...scripts].filter((name) => /uplot|tidemark\.schema\.json/.test(readFileSync(new URL(name, built), 'utf8')))).toEqual([])
})

/** A built script and its static imports, by path. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(new URL(name, built), 'utf8')
  for (const [, path = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) withImports(`assets/${path}`, found)
  return found
}

test('a one-time code can be exchanged for its credentials once', async () => {
  const exchange = (code: string) =>
    fetch(`${server.origin}/sign-in`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) })
  expect((await exchange('guessed')).status).toBe(404)
  const code = server.newCode()
  const first = await exchange(code)
  expect(first.headers.get('cache-control')).toBe('no-store')
  expect(await first.json()).toMatchObject({ account: 'acme' })
  const second = await exchange(code)
  expect(await second.json()).toMatchObject({ statusCode: 404, code: 'UNKNOWN_CODE' })
})

test('a wrong code does not invalidate the right one', () => {
  const { code, signIn } = oneTimeCode({ key: 'k', account: 'a' }, new Uint8Array(16))
  expect(signIn('wrong')).toBeUndefined()
  expect(signIn(code)).toEqual({ key: 'k', account: 'a' })
  expect(signIn(code)).toBeUndefined()
})

test('the list of check types has everything needed to query any check', async () => {
  expect((await get('/v1/check-types')).status).toBe(401)
  const listed = (await (await get('/v1/check-types', credentials)).json()) as { checkType: string; endpoint: string; phases: string[] }[]
  expect(listed.map(({ checkType }) => checkType)).toEqual(checkTypes.map(({ type }) => type))
  for (const [index, { endpoint, phases }] of listed.entries()) {
    const check = server.checks[index]
    const report = await get(`${endpoint}/${check?.id}?metrics=availability`, credentials)
    expect(report.status).toBe(200)
    expect(phases).toEqual(check?.checkType.phases)
  }
})

test('phases add up to the duration of a run', async () => {
  for (const { id, checkType } of server.checks.filter(({ checkType }) => checkType.phases.length > 0)) {
    const names = [checkType.duration, ...checkType.phases]
    const path = `/v1/analytics/${checkType.path}/${id}?filterByStatus=success&limit=1&metrics=${names.join()}`
    const { series } = (await (await get(path, credentials)).json()) as { series: { data: Record<string, number>[] }[] }
    const row = series[0]?.data[0] ?? {}
    const sum = checkType.phases.reduce((total, name) => total + (row[name] ?? 0), 0)
    expect(sum).toBeCloseTo(row[checkType.duration ?? ''] ?? Number.NaN, 2)
  }
})

const ago = (hours: number) => new Date(Date.now() - hours * hourMs).toISOString()

type Line = { readonly availability: number; readonly data?: readonly { period: string; total: number; success: number }[] }

async function summarise(query: string) {
  const body = JSON.stringify({ checkIds: server.checks.map(({ id }) => id) })
  const headers = { ...credentials, 'content-type': 'application/json' }
  const response = await fetch(`${server.origin}/v1/analytics/checks?${query}`, { method: 'POST', headers, body })
  return { status: response.status, answer: (await response.json()) as Line[] & { message?: string } }
}

test('the summary of many checks has a timeline in buckets when given an interval', async () => {
  const window = `from=${ago(24)}&to=${ago(0)}`
  const { answer: plain } = await summarise(window)
  const { answer: bucketed } = await summarise(`${window}&aggregationInterval=60`)
  for (const [index, { data = [], ...line }] of bucketed.entries()) {
    expect(line).toEqual(plain[index])
    expect(data.length).toBeGreaterThan(20)
    const sum = (name: 'total' | 'success') => data.reduce((total, bucket) => total + bucket[name], 0)
    expect((sum('success') / sum('total')) * 100).toBeCloseTo(line.availability, 9)
  }
})

test('the timeline of a summary can have a different window from its figures', async () => {
  const figures = `from=${ago(30)}&to=${ago(6)}`
  const timeline = [ago(12), ago(0)] as const
  const { answer: plain } = await summarise(figures)
  const { answer: alone } = await summarise(`from=${timeline[0]}&to=${timeline[1]}&aggregationInterval=60`)
  const { answer: both } = await summarise(`${figures}&aggregationInterval=60&dataFrom=${timeline[0]}&dataTo=${timeline[1]}`)
  expect(both).toEqual(plain.map((line, index) => ({ ...line, data: alone[index]?.data })))
  const { answer: named } = await summarise(`${figures}&aggregationInterval=60&dataQuickRange=last24Hours`)
  for (const { data = [] } of named) expect(data.length).toBeGreaterThan(20)
})

test('a window for the timeline of a summary requires a bucket width, and from before to', async () => {
  const { status, answer } = await summarise('dataQuickRange=last24Hours')
  expect([status, answer.message]).toEqual([400, 'aggregationInterval is required: the width in minutes of the buckets in data.'])
  expect((await summarise(`aggregationInterval=60&dataFrom=${ago(1)}&dataTo=${ago(2)}`)).status).toBe(400)
})
