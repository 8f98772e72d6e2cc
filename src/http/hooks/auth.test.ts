import type { IncomingHttpHeaders } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, credentials, service, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { scopes } from '../../catalogue/catalogue.ts'
import type { ApiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import type { Access } from '../route.ts'
import { authenticate, isAnonymous } from './auth.ts'

const check = testCheck(anyRunType())
const url = `/v1/badges/checks/${check.id}`

test('where a key is optional, an account header without a key is rejected instead of treated as anonymous', async () => {
  const { get, close } = await openTestApp({
    catalogue: testCatalogue({ accounts: [{ id: account, name: 'Acme Inc', publicBadges: true }], checks: [check] }),
  })
  onTestFinished(close)
  expect((await get(url, {})).status).toBe(200)
  expect((await get(url, credentials)).status).toBe(200)
  const refused = await get(url, { 'x-service-account': account })
  expect([refused.status, refused.body.code, refused.headers['www-authenticate']]).toEqual([401, 'MISSING_KEY', 'Bearer'])
})

test('only keys with the scope operate or admin can operate', () => {
  const catalogue = testCatalogue({ keys: scopes.map((scope) => testKey(scope, account, [scope])) })
  const mayOperate = (key: string) => {
    try {
      return authenticate({ authorization: `Bearer ${key}`, 'x-service-account': account }, 'operate', catalogue)?.key.scopes[0]
    } catch (error) {
      return (error as Error).message
    }
  }
  const refused = 'This API key does not have the scope operate. Create one with: tidemark key create --scopes operate.'
  expect(scopes.map(mayOperate)).toEqual(scopes.map((scope) => (scope === 'operate' || scope === 'admin' ? scope : refused)))
})

const authKey = { 'x-service-account': account }
const bearer = (name: string) => ({ authorization: `Bearer ${name}` })
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const keys = [
  ...scopes.map((scope) => testKey(scope, account, [scope])),
  testKey('agent', account, ['agent:eu']),
  testKey('orphan', 'gone', ['read']),
  testKey('orphan-agent', 'gone', ['agent:eu']),
  testKey('orphan-metrics', 'gone', ['metrics']),
]
const settings = () => ({ ...service, accountHeaders: ['x-acme-account', 'x-checkly-account'] })
const catalogue = testCatalogue({ keys, service: settings })

/** The hash of the caller's key, or the error. */
function outcome(headers: IncomingHttpHeaders, access: Access, of = catalogue): string | null {
  try {
    const caller = authenticate(headers, access, of)
    return caller && `${caller.account.id} ${caller.key.name}`
  } catch (error) {
    const { code, headers: sent } = error as ApiError
    return sent['www-authenticate'] === 'Bearer' ? `${code} Bearer` : code
  }
}
const nameOf = (text: string) => `${account} ${keys.find(({ hash }) => hash === sha256(text))?.name}`

test.each<[IncomingHttpHeaders, Access, string | null]>([
  [{}, 'open', null],
  [bearer('wrong'), 'open', null],
  [{}, 'read', 'MISSING_KEY Bearer'],
  [{ authorization: '' }, 'read', 'MISSING_KEY Bearer'],
  [{ authorization: 'Bearer ' }, 'read', 'MISSING_KEY Bearer'],
  [{ authorization: 'read' }, 'read', 'MISSING_KEY Bearer'],
  [{ authorization: 'Bearer read write' }, 'read', 'MISSING_KEY Bearer'],
  [{ ...basic('x:read'), ...authKey }, 'read', 'MISSING_KEY Bearer'],
  [{ ...bearer('wrong'), ...authKey }, 'read', 'UNKNOWN_KEY Bearer'],
  [bearer('read'), 'read', 'MISSING_ACCOUNT Bearer'],
  [{ ...bearer('read'), 'x-service-account': '' }, 'read', 'MISSING_ACCOUNT Bearer'],
  [{ ...bearer('read'), 'x-service-account': 'other' }, 'read', 'FORBIDDEN_ACCOUNT'],
  [{ ...bearer('orphan'), 'x-service-account': 'gone' }, 'read', 'FORBIDDEN_ACCOUNT'],
  [{ ...bearer('read'), ...authKey }, 'read', nameOf('read')],
  [{ authorization: 'bearer   read  ', ...authKey }, 'read', nameOf('read')],
  [{ ...bearer('read'), 'x-acme-account': account }, 'read', nameOf('read')],
  [{ ...bearer('read'), 'x-service-account': '', 'x-checkly-account': account }, 'read', nameOf('read')],
  [{ ...bearer('read'), ...authKey, 'x-acme-account': 'other' }, 'read', nameOf('read')],
  [{ ...bearer('read'), 'x-other-account': account }, 'read', 'MISSING_ACCOUNT Bearer'],
  [{}, 'optional', null],
  [authKey, 'optional', 'MISSING_KEY Bearer'],
  [{ 'x-acme-account': account }, 'optional', 'MISSING_KEY Bearer'],
  [bearer('read'), 'optional', 'MISSING_ACCOUNT Bearer'],
  [{ ...bearer('read'), ...authKey }, 'optional', nameOf('read')],
  [{ ...bearer('write'), ...authKey }, 'optional', 'MISSING_SCOPE'],
  [bearer('agent'), 'agent', nameOf('agent')],
  [{ ...bearer('agent'), ...authKey }, 'agent', nameOf('agent')],
  [{ ...bearer('agent'), 'x-service-account': 'other' }, 'agent', 'FORBIDDEN_ACCOUNT'],
  [bearer('orphan-agent'), 'agent', 'FORBIDDEN_ACCOUNT'],
  [bearer('agent'), 'ingest', nameOf('agent')],
  [bearer('agent'), 'read', 'AGENT_KEY'],
  [bearer('agent'), 'key', 'AGENT_KEY'],
  [{ ...bearer('admin'), ...authKey }, 'agent', 'MISSING_SCOPE'],
  [{}, 'metrics', 'MISSING_KEY Bearer'],
  [bearer('metrics'), 'metrics', nameOf('metrics')],
  [{ ...bearer('metrics'), ...authKey }, 'metrics', nameOf('metrics')],
  [{ ...bearer('metrics'), 'x-service-account': 'other' }, 'metrics', 'FORBIDDEN_ACCOUNT'],
  [bearer('orphan-metrics'), 'metrics', 'FORBIDDEN_ACCOUNT'],
  [basic('anybody:metrics'), 'metrics', nameOf('metrics')],
  [basic(':metrics'), 'metrics', nameOf('metrics')],
  [basic('metrics'), 'metrics', 'MISSING_KEY Bearer'],
  [basic('a:b:metrics'), 'metrics', 'UNKNOWN_KEY Bearer'],
  [bearer('read'), 'metrics', 'MISSING_SCOPE'],
  [bearer('admin'), 'metrics', nameOf('admin')],
])('a request with %j for %s: %s', (headers, access, expected) => {
  expect(outcome(headers, access)).toBe(expected)
})

test('each access requires its scope, or admin', () => {
  const accesses = ['key', 'read', 'optional', 'ingest', 'metrics', 'operate', 'write'] as const
  const granted = Object.fromEntries(
    accesses.map((access) => [access, scopes.filter((scope) => outcome({ ...bearer(scope), ...authKey }, access) === nameOf(scope))]),
  )
  const only = (scope: string) => scopes.filter((one) => one === scope || one === 'admin')
  expect(granted).toEqual({
    key: [...scopes],
    ...{ read: only('read'), optional: only('read'), ingest: only('ingest') },
    ...{ metrics: only('metrics'), operate: only('operate'), write: only('write') },
  })
})

test('if no key has the scope for scrapes, the response is that of an unknown route', () => {
  const without = testCatalogue({ keys: [testKey('read', account, ['read'])] })
  expect(outcome({ ...bearer('read'), ...authKey }, 'metrics', without)).toBe('ROUTE_NOT_FOUND')
  expect(outcome(bearer('read'), 'metrics', without)).toBe('MISSING_ACCOUNT Bearer')
  expect(outcome({}, 'metrics', without)).toBe('MISSING_KEY Bearer')
})

test('a request without a key and an account is anonymous', () => {
  expect([{}, { 'x-service-account': '' }, authKey, { authorization: '' }].map((headers) => isAnonymous(headers, catalogue))).toEqual([
    true,
    true,
    false,
    false,
  ])
})
