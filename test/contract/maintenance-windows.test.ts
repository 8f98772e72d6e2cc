import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, writeCredentials as headers, readKey, testCatalogue, testCheck, testKey, writeKey } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const now = Date.UTC(2026, 10, 14, 12)
const minuteMs = 60_000
const shop = testCheck(anyRunType(), { id: 'shop', tags: ['shop'] })
const mail = testCheck(anyRunType(), { id: 'mail' })
const maintenance = [{ name: 'Of the file', from: now - minuteMs, to: now + minuteMs, checks: ['mail'], tags: [] }]

let api: TestApp
beforeEach(async () => {
  api = await openTestApp({
    managed: true,
    now,
    results: [testResult(shop, now - 30 * minuteMs, { hasFailures: true })],
    catalogue: testCatalogue({
      checks: [shop, mail],
      policies: { maintenance },
      keys: [testKey(readKey, account, ['read']), testKey(writeKey, account, ['read', 'write', 'metrics'])],
    }),
  })
})
afterEach(() => api.close())

const path = '/v1/maintenance-windows'
const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, body?: object, more: Record<string, string> = {}) =>
  api.call({ method, url, headers: { ...headers, ...more }, ...(body && { payload: body }) })
/** As the Go SDK sends it. */
const night = {
  id: 0,
  name: 'Night',
  startsAt: '2026-11-13T11:00:00Z',
  endsAt: '2026-11-13T12:30:00.000Z',
  repeatUnit: 'DAY',
  repeatInterval: 1,
  tags: ['shop'],
  created_at: '',
  updated_at: '',
}

describe('a maintenance window', () => {
  test('can be created, read, updated and deleted as the Go SDK and Terraform do it', async () => {
    const added = await send('POST', path, night)
    expect([added.status, added.headers.etag]).toEqual([201, '"v1"'])
    const { id } = added.body
    expect(Number.isSafeInteger(id)).toBe(true)
    const [created_at, updated_at] = ['2026-11-14T12:00:00.000Z', '2026-11-14T12:00:00.000Z']
    const written = { ...night, id, repeatEndsAt: null, pauseAllChecks: false, created_at, updated_at }
    expect(added.body).toEqual(written)
    expect((await api.get(`${path}/${id}`)).body).toEqual(written)
    expect((await api.get(path)).body).toEqual([written])
    const once = { name: 'Once', startsAt: night.startsAt, endsAt: night.endsAt }
    const replaced = await send('PUT', `${path}/${id}`, once, { 'if-match': '"v1"' })
    expect([replaced.status, replaced.body.repeatUnit, replaced.body.tags]).toEqual([200, null, []])
    expect((await send('PUT', `${path}/${id}`, once, { 'if-match': '"v1"' })).status).toBe(412)
    expect((await send('PUT', `${path}/${id}`, once)).headers.etag).toBe('"v2"')
    expect((await send('DELETE', `${path}/${id}`)).status).toBe(204)
    const gone = await api.get(`${path}/${id}`)
    expect([gone.status, gone.body.code]).toEqual([404, 'RESOURCE_NOT_FOUND'])
  })

  test('has the same effects as one of the config file', async () => {
    const { body } = await send('POST', path, night)
    const listed = await api.get('/v1/maintenance?from=2026-11-14&to=2026-11-14')
    expect(listed.body).toEqual([
      { name: 'Night', from: '2026-11-14T11:00:00.000Z', to: '2026-11-14T12:30:00.000Z', checkIds: ['shop'] },
      { name: 'Of the file', from: '2026-11-14T11:59:00.000Z', to: '2026-11-14T12:01:00.000Z', checkIds: ['mail'] },
    ])
    expect((await api.get('/v1/check-statuses/shop')).body.maintenance).toBe('Night')
    expect((await api.get('/metrics', headers)).text).toMatch(/^tidemark_check_in_maintenance\{[^}]*check="shop"[^}]*\} 1$/m)
    expect((await api.get('/v1/analytics/outages?checkId=shop')).body.outages[0].maintenance).toBe(true)
    await send('DELETE', `${path}/${body.id}`)
    expect((await api.get('/v1/check-statuses/shop')).body.maintenance).toBeNull()
  })

  test.each([
    [{ startsAt: 'soon' }, '/startsAt'],
    [{ endsAt: night.startsAt }, '/endsAt'],
    [{ endsAt: '2026-12-24T00:00:00Z' }, '/endsAt'],
    [{ repeatInterval: 101 }, '/repeatInterval'],
    [{ repeatEndsAt: 'soon' }, '/repeatEndsAt'],
    [{ repeatUnit: 'YEAR' }, '/repeatUnit'],
    [{ timezone: 'Mars' }, '/timezone'],
    [{ tags: ['a,b'] }, '/tags/0'],
    [{ name: '' }, '/name'],
  ])('with %j is a 400 that points to %s, and changes nothing', async (more, pointer) => {
    const { status, body } = await send('POST', path, { ...night, ...more })
    expect([status, body.code, body.faults]).toEqual([400, 'INVALID_DEFINITION', [expect.objectContaining({ pointer })]])
    const tried = await send('POST', `${path}?dryRun=true`, { ...night, ...more })
    expect([tried.status, tried.body.valid]).toEqual([200, false])
    expect((await api.get(path)).body).toEqual([])
  })

  test('is in the audit log, and a dry run is not', async () => {
    expect((await send('POST', `${path}?dryRun=true`, night)).body).toMatchObject({ valid: true, action: 'create' })
    await send('POST', path, night)
    const { body } = await api.get('/v1/audit')
    expect(body.entries).toEqual([expect.objectContaining({ kind: 'maintenance-window', action: 'create' })])
  })

  test('belongs to its account, and changes to it require the scope write', async () => {
    const { body } = await send('POST', path, night)
    const read = { authorization: `Bearer ${readKey}`, 'x-service-account': account }
    expect((await api.call({ method: 'DELETE', url: `${path}/${body.id}`, headers: read })).status).toBe(403)
  })
})
