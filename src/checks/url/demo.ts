import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import { inventExchange } from '../probe/http/demo-exchange.ts'
import type { metrics, UrlSettings } from './shape.ts'

export const demo: Demo<Static<typeof UrlSettings>, typeof metrics> = {
  name: 'Homepage',
  tags: ['shop', 'web'],
  settings: ({ url }) => ({ request: { url: `${url}/`, assertions: [{ source: 'statusCode', comparison: 'equals', target: 200 }] } }),
  files: {},
  run: (draw) => inventExchange(draw, 48),
}
