import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import { inventExchange } from '../probe/http/demo-exchange.ts'
import type { ApiSettings, metrics } from './shape.ts'

export const demo: Demo<Static<typeof ApiSettings>, typeof metrics> = {
  name: 'Orders API',
  tags: ['shop', 'api'],
  settings: ({ url }) => ({
    request: {
      method: 'GET',
      url: `${url}/api/orders`,
      assertions: [
        { source: 'statusCode', comparison: 'equals', target: 200 },
        { source: 'jsonBody', property: '$.orders', comparison: 'notEmpty' },
      ],
    },
  }),
  files: {},
  run: (draw) => inventExchange(draw, 95),
}
