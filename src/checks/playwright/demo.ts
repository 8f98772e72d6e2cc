import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import type { metrics, PlaywrightSettings } from './shape.ts'

const configuration = `import { defineConfig } from '@playwright/test'

export default defineConfig({ testDir: '.', use: { baseURL: process.env.SHOP_URL } })
`

const suite = `import { expect, test } from '@playwright/test'

test('the shop greets its visitors', async ({ request }) => {
  const answer = await request.get('/')
  expect(answer.ok()).toBe(true)
})

test('the list of orders is there', async ({ request }) => {
  const answer = await request.get('/api/orders')
  expect(answer.ok()).toBe(true)
})
`

export const demo: Demo<Static<typeof PlaywrightSettings>, typeof metrics> = {
  name: 'Shop suite',
  tags: ['shop', 'suite'],
  settings: ({ url }) => ({ directory: 'checks/suite', environment: { SHOP_URL: url } }),
  files: { 'checks/suite/playwright.config.ts': configuration, 'checks/suite/shop.spec.ts': suite },
  run: (draw) => {
    const responseTime = draw.around(2600)
    if (draw.failing) {
      return {
        metrics: { responseTime, TTFB: null, FCP: null, LCP: null, CLS: null, TBT: null },
        failure: '1 of 2 tests failed: the list of orders is there',
        broken: false,
      }
    }
    const TTFB = draw.around(80)
    const FCP = TTFB + draw.around(260)
    const LCP = FCP + draw.around(420)
    return { metrics: { responseTime, TTFB, FCP, LCP, CLS: draw.around(0.03), TBT: draw.around(60) }, failure: null, broken: false }
  },
}
