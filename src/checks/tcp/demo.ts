import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import type { metrics, TcpSettings } from './shape.ts'

export const demo: Demo<Static<typeof TcpSettings>, typeof metrics> = {
  name: 'Message queue',
  tags: ['backend'],
  settings: ({ hostname, tcpPort }) => ({
    request: { hostname, port: tcpPort, data: 'ping\n', assertions: [{ source: 'responseData', comparison: 'contains', target: 'pong' }] },
  }),
  files: {},
  run: (draw) => {
    const dns = draw.around(2)
    if (draw.failing) {
      return { metrics: { total: null, dns, connection: null, data: null }, failure: 'the connection was refused', broken: true }
    }
    const connection = draw.around(7)
    const data = draw.around(3.5)
    return { metrics: { total: dns + connection + data, dns, connection, data }, failure: null, broken: false }
  },
}
