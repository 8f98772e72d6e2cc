import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../test/support/app.ts'
import { credentials } from '../../test/support/catalogue.ts'
import { withoutReferences } from '../../test/support/openapi.ts'
import { checkTypes } from '../checks/registry.ts'
import type { OpenApi } from './reference/openapi.ts'

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({})
})
afterAll(() => api.close())

test('the server has timeouts for slow clients', () => {
  const { requestTimeout, headersTimeout, timeout } = api.app.server
  expect(Math.min(requestTimeout, headersTimeout, timeout)).toBeGreaterThan(0)
})

test('a long response is compressed on request, with the same content', async () => {
  const url = `/v1/analytics/metrics?checkType=${checkTypes[0]?.type}`
  const { body: plain } = await api.app.inject({ url, headers: credentials })
  const { headers, rawPayload } = await api.app.inject({ url, headers: { ...credentials, 'accept-encoding': 'gzip' } })
  expect(headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(rawPayload).toString()).toBe(plain)
})

test('HEAD responds like GET, without the body', async () => {
  const { status, text, headers } = await api.call({ method: 'HEAD', url: '/v1/checks', headers: credentials })
  expect([status, text, headers['content-range']]).toEqual([200, '', '*/0'])
})

test('no response can be framed, sniffed or executed', async () => {
  const { headers } = await api.get('/v1/checks')
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  })
})

describe('the OpenAPI document', () => {
  const described = async (): Promise<OpenApi> => withoutReferences((await api.get('/openapi.json')).body)
  const operations = async () =>
    Object.entries((await described()).paths).flatMap(([path, byMethod]) => Object.values(byMethod).map((one) => ({ path, ...one })))

  test('has a unique id for every operation', async () => {
    const ids = (await operations()).map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })
  test('declares every path parameter', async () => {
    for (const { path, parameters } of await operations()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      expect([path, parameters.filter((one) => one.in === 'path').map(({ name }) => name)]).toEqual([path, named])
    }
  })
  test('has a success response, and an error response wherever a key is required', async () => {
    for (const { path, security, responses } of await operations()) {
      expect([path, Object.keys(responses).some((status) => status.startsWith('2'))]).toEqual([path, true])
      if (security.length === 1) expect([path, Object.keys(responses)]).toEqual([path, expect.arrayContaining(['401', '403', '429'])])
    }
  })
  test('omits parameters that an endpoint always rejects', async () => {
    for (const { type, path, groupBy } of checkTypes) {
      const names = (await described()).paths[`/v1/analytics/${path}/{id}`]?.get?.parameters.map(({ name }) => name)
      expect([type, names?.includes('groupBy')]).toEqual([type, groupBy.length > 0])
    }
  })
})

describe('the reference page', () => {
  test('has every operation and loads nothing from other hosts', async () => {
    const { text, headers } = await api.get('/docs', {})
    const { body } = await api.get('/openapi.json', {})
    for (const path of Object.keys(body.paths)) expect(text).toContain(path)
    expect(text).not.toMatch(/<style|style=|<script(?![^>]* src=)|@import|url\(|(?:src|href)="(?:https?:|\/\/)/)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|http|\*/)
  })
  test('escapes markup', async () => {
    expect((await api.get('/docs', {})).text).toContain('Bearer &lt;API_KEY&gt;')
  })
})
