import type { Static } from '../../schema/typebox.ts'
import type { Demo, Draw } from '../demo.ts'
import type { BrowserSettings, metrics } from './shape.ts'

const script = `import { expect, test } from '@playwright/test'

test('a lamp can be put into the basket', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Products' }).click()
  await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible()
  await page.getByRole('link', { name: 'Basket' }).click()
  await expect(page.getByRole('heading', { name: 'Basket' })).toBeVisible()
})
`

const visited = ['/', '/products', '/basket']

export const demo: Demo<Static<typeof BrowserSettings>, typeof metrics> = {
  name: 'Buy a lamp',
  tags: ['shop', 'web'],
  settings: ({ url }) => ({ url: `${url}/`, script: 'checks/buy-a-lamp.spec.ts' }),
  files: { 'checks/buy-a-lamp.spec.ts': script },
  run: (draw) => {
    const reached = draw.failing ? visited.slice(0, draw.chance(0.5) ? 1 : 2) : visited
    const pages = reached.map((path, index) => inventPage(draw, path, index))
    const loading = pages.reduce((sum, { LCP }) => sum + LCP, 0)
    return {
      metrics: {
        responseTime: draw.failing && draw.chance(0.3) ? null : loading + draw.around(900),
        consoleErrors: draw.chance(0.05) ? 1 : 0,
        networkErrors: draw.failing ? 1 : 0,
        userScriptErrors: draw.failing ? 1 : 0,
        documentErrors: 0,
      },
      pages,
      failure: draw.failing ? `the page after ${reached.at(-1)} did not load` : null,
      broken: false,
    }
  },
}

function inventPage(draw: Draw, path: string, index: number) {
  const TTFB = draw.around(60 + 40 * index)
  const FCP = TTFB + draw.around(240)
  return {
    pageUrl: `https://shop.example${path}`,
    TTFB,
    FCP,
    LCP: FCP + draw.around(380 + 150 * index),
    CLS: draw.chance(0.6) ? 0 : draw.around(0.04),
    TBT: draw.chance(0.3) ? 0 : draw.around(70),
  }
}
