import { defineCheckType } from '../define.ts'
import { runLocation } from '../metric.ts'
import { hostOf } from '../probe/net/host-of.ts'
import { demo } from './demo.ts'
import { metrics, TcpSettings } from './shape.ts'
import { wire } from './wire.ts'

export const tcp = defineCheckType({
  type: 'TCP',
  path: 'tcp-checks',
  label: 'TCP monitor',
  metrics,
  duration: 'total',
  phases: ['dns', 'connection', 'data'],
  groupBy: [runLocation],
  settings: TcpSettings,
  fromAddress: ({ protocol, hostname, port }) =>
    protocol === 'tcp:' && hostname !== '' && port !== '' ? { request: { hostname: hostOf(hostname), port: Number(port) } } : undefined,
  target: ({ request }) => ({ hostname: request.hostname, port: request.port }),
  run: () => import('./run.ts'),
  wire,
  demo,
})
