import { expect, test } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { idsFor } from './ids.ts'

const call = (path: string) => ({ method: 'GET', path, parameters: [] })
let accounts = 0
/** A new account each time, because responses are cached per account. */
const signedIn = () => ({ key: 'key', account: `acme-${accounts++}` })
const checks = [
  { id: 'shop', name: 'Shop', checkType: 'A' },
  { id: 'bank', checkType: 'B' },
]
const types = [{ checkType: 'B', endpoint: '/v1/analytics/b' }]
const answers: Readonly<Record<string, unknown>> = {
  '/v1/checks': checks,
  '/v1/check-types': types,
  '/v1/alerts': { alerts: [{ id: '7', title: 'Shop is failing' }] },
  '/v1/slos': [{ id: 'slo', name: 'Fast' }],
}

test('an operation on one resource has the ids and names of the account, and each list is requested once', async () => {
  const asked = answerPage(({ path }) => answers[path])
  const credentials = signedIn()
  const shop = { id: 'shop', name: 'Shop' }
  expect(await idsFor(call('/v1/checks/{id}'), credentials)).toEqual([shop, { id: 'bank', name: 'bank' }])
  expect(await idsFor(call('/v1/analytics/b/{id}'), credentials)).toEqual([{ id: 'bank', name: 'bank' }])
  expect(await idsFor(call('/v1/slos/{id}'), credentials)).toEqual([{ id: 'slo', name: 'Fast' }])
  expect(await idsFor(call('/v1/alerts/{id}'), credentials)).toEqual([{ id: '7', name: 'Shop is failing' }])
  expect(asked.map(({ path }) => path).toSorted()).toEqual(['/v1/alerts', '/v1/check-types', '/v1/checks', '/v1/slos'])
})

test('another account has its own ids', async () => {
  const asked = answerPage(({ path }) => answers[path])
  await idsFor(call('/v1/slos/{id}'), signedIn())
  await idsFor(call('/v1/slos/{id}'), signedIn())
  expect(asked.filter(({ path }) => path === '/v1/slos')).toHaveLength(2)
})

test('an operation without an id, or without a session, has none', async () => {
  const asked = answerPage(({ path }) => answers[path])
  expect(await idsFor(call('/v1/checks'), signedIn())).toEqual([])
  expect(await idsFor(call('/v1/checks/{id}'), null)).toEqual([])
  expect(asked).toEqual([])
})

test('a failed load gives no ids, and is retried', async () => {
  const credentials = signedIn()
  answerPage(() => {
    throw new TypeError('offline')
  })
  expect(await idsFor(call('/v1/checks/{id}'), credentials)).toEqual([])
  answerPage(({ path }) => answers[path])
  expect(await idsFor(call('/v1/checks/{id}'), credentials)).toHaveLength(2)
})
