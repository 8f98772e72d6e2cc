import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account } from '../support/catalogue.ts'

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({})
})
afterAll(() => api.close())

describe('the first request of command-line clients returns', () => {
  const acme = { id: account, name: expect.any(String), runtimeId: '2025.04' }

  test('the account of the key, and no other', async () => {
    expect((await api.get(`/next/accounts/${account}`)).body).toEqual(acme)
    expect((await api.get('/next/accounts')).body).toEqual([acme])
    const [other, unknown] = [await api.get('/next/accounts/other'), await api.get('/next/accounts/nobody')]
    expect(other).toMatchObject({ status: 403, body: { code: 'FORBIDDEN_ACCOUNT' } })
    expect(unknown.text).toBe(other.text)
  })

  test('the key in place of a user', async () => {
    const { body } = await api.get('/next/users/me')
    expect(Object.keys(body)).toEqual(['id', 'name', 'scopes'])
  })

  test.each(['/v1/check-groups', '/v1/alert-channels?limit=25&page=1', '/v1/variables'])('an empty list at %s', async (path) => {
    expect(await api.get(path)).toMatchObject({ status: 200, body: [] })
  })

  test('a runtime of the name that a project requests, with the packages that scripts can import', async () => {
    const { body } = await api.get('/v1/runtimes')
    expect(body.find(({ name }: { readonly name: string }) => name === '2025.04')).toEqual({
      name: '2025.04',
      multiStepSupport: true,
      dependencies: { '@playwright/test': expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    })
  })

  test.each(['/v1/status-pages?limit=25', '/v1/status-pages/incidents'])('an empty page at %s', async (path) => {
    expect(await api.get(path)).toMatchObject({ status: 200, body: { length: 0, entries: [], nextId: null } })
  })

  test('a 401 without credentials', async () => {
    for (const path of ['/next/accounts', `/next/accounts/${account}`, '/next/users/me', '/v1/runtimes', '/v1/status-pages'])
      expect(await api.call({ url: path })).toMatchObject({ status: 401 })
  })
})
