import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import type { MultistepSettings, metrics } from './shape.ts'

const script = `import { expect, test } from '@playwright/test'

test('an order can be placed and found again', async ({ request }) => {
  const placed = await request.post(\`\${process.env.SHOP_URL}/api/orders\`, { data: { item: 'lamp' } })
  expect(placed.status()).toBe(201)
  const { id } = await placed.json()
  const found = await request.get(\`\${process.env.SHOP_URL}/api/orders/\${id}\`)
  expect(found.status()).toBe(200)
})
`

export const demo: Demo<Static<typeof MultistepSettings>, typeof metrics> = {
  name: 'Place an order',
  tags: ['shop', 'api'],
  settings: ({ url }) => ({ script: 'checks/place-an-order.spec.ts', environment: { SHOP_URL: url } }),
  files: { 'checks/place-an-order.spec.ts': script },
  run: (draw) => ({
    metrics: { responseTime: draw.failing && draw.chance(0.5) ? null : draw.around(210) + draw.around(95) },
    failure: draw.failing ? 'placed.status() was 503, expected 201' : null,
    broken: false,
  }),
}
