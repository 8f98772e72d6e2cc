import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, credentials, testCatalogue, testCheck, testKey } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { scopes } from '../../catalogue/catalogue.ts'
import { authenticate } from './auth.ts'

const check = testCheck(anyRunType())
const url = `/v1/badges/checks/${check.id}`

test('where a key is optional, an account without a key is refused rather than served as anonymous', async () => {
  const { get, close } = await openTestApp({
    catalogue: testCatalogue({ accounts: [{ id: account, name: 'Acme Inc', publicBadges: true }], checks: [check] }),
  })
  onTestFinished(close)
  expect((await get(url, {})).status).toBe(200)
  expect((await get(url, credentials)).status).toBe(200)
  const refused = await get(url, { 'x-service-account': account })
  expect([refused.status, refused.body.code, refused.headers['www-authenticate']]).toEqual([401, 'MISSING_KEY', 'Bearer'])
})

test('only keys with the scope operate or admin may operate', () => {
  const catalogue = testCatalogue({ keys: scopes.map((scope) => testKey(scope, account, [scope])) })
  const mayOperate = (key: string) => {
    try {
      return authenticate({ authorization: `Bearer ${key}`, 'x-service-account': account }, 'operate', catalogue)?.key.scopes[0]
    } catch (error) {
      return (error as Error).message
    }
  }
  const refused = 'This API key lacks the scope operate. Make one with: tidemark key create --scopes operate.'
  expect(scopes.map(mayOperate)).toEqual(scopes.map((scope) => (scope === 'operate' || scope === 'admin' ? scope : refused)))
})
