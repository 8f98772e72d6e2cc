import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { type BadgeApp, openBadgeApp } from '../support/badge-app.ts'
import { account, testCatalogue, testCheck, testSlo } from '../support/catalogue.ts'

const text = readFileSync(new URL('../../docs/badges.md', import.meta.url), 'utf8')
const addresses = [...text.matchAll(/\/v1\/badges\/[^\s)`]+/g)].map(([address]) => address)

const checkType = checkTypes.find(({ metrics }) => Object.hasOwn(metrics, 'responseTime'))
if (!checkType) throw new Error('no check type has a response time')
const catalogue = testCatalogue({
  accounts: [{ id: account, name: 'Acme Inc', publicBadges: true }],
  checks: [testCheck(checkType, { id: 'homepage', name: 'Homepage', tags: ['web'] })],
  policies: { slos: [testSlo('web', { tags: ['web'] })] },
})

let world: BadgeApp
beforeAll(async () => {
  world = await openBadgeApp(catalogue, Date.UTC(2026, 10, 14))
})
afterAll(() => world.close())

describe('the URLs in docs/badges.md work without a key', () => {
  test.each(addresses)('%s', async (url) => {
    expect((await world.app.inject({ url })).statusCode).toBe(200)
  })

  test('include several examples', () => expect(addresses.length).toBeGreaterThan(8))
})
