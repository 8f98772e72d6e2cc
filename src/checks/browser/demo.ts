import type { Static } from 'typebox'
import type { Demo, Draw } from '../demo.ts'
import type { BrowserSettings, metrics } from './shape.ts'

const visited = ['/', '/products', '/basket']

export const demo: Demo<Static<typeof BrowserSettings>, typeof metrics> = {
  name: 'Buy a lamp',
  tags: ['shop', 'web'],
  settings: ({ url }) => ({ url: `${url}/` }),
  files: {},
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
