import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../../../test/support/app.ts'
import { account, credentials, testCatalogue, testCheck } from '../../../test/support/catalogue.ts'
import { anyRunType } from '../../../test/support/example-config.ts'

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
