import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { account, readKey, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { checkTypes } from '../../checks/registry.ts'
import { withoutBasePath } from './request-head.ts'

test.each([
  ['/tidemark/v1/checks?limit=1', '/v1/checks?limit=1'],
  ['/tidemark', '/'],
  ['/tidemark?a=1', '/?a=1'],
  ['/tidemark/', '/'],
  ['/tidemarks', '/tidemarks'],
  ['/v1/checks', '/v1/checks'],
])('%s below /tidemark is %s', (url, path) => {
  expect(withoutBasePath(url, '/tidemark')).toBe(path)
  expect(withoutBasePath(url, '')).toBe(url)
})

describe('a server below a base path', () => {
  let api: TestApp
  let origin = ''
  const checks = checkTypes.map((checkType) => testCheck(checkType))
  beforeAll(async () => {
    api = await openTestApp({
      catalogue: testCatalogue({ checks, keys: [testKey(readKey, account, ['read', 'ingest'])] }),
      basePath: '/tidemark',
      now: Date.now,
    })
    origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => api.close())

  test('responds with and without it', async () => {
    for (const base of ['', '/tidemark']) expect((await api.get(`${base}/v1/checks`)).status).toBe(200)
    expect((await api.get('/other/v1/checks')).status).toBe(404)
  })

  test('accepts results', async () => {
    const body = JSON.stringify([{ checkId: checks[0]?.id, startedAt: new Date().toISOString(), runLocation: 'eu', hasFailures: false }])
    const headers = { authorization: `Bearer ${readKey}`, 'x-service-account': account, 'content-type': 'application/json' }
    expect((await fetch(`${origin}/tidemark/v1/check-results`, { method: 'POST', headers, body })).status).toBe(200)
  })

  test('links to pages and documents below it', async () => {
    const { headers } = await api.get('/tidemark/v1/checks?limit=1')
    expect(headers.link).toContain('</tidemark/v1/checks?limit=1&page=2>; rel="next"')
    expect((await api.get('/tidemark/docs', {})).text).toContain('href="/tidemark/openapi.json"')
    expect((await api.get('/tidemark/openapi.json', {})).body.servers).toEqual([{ url: '/tidemark' }])
  })
})
