import { defineCheckType } from '../define.ts'
import { runLocation } from '../metric.ts'
import { demo } from './demo.ts'

import { metrics, TcpSettings } from './shape.ts'

export const tcp = defineCheckType({
  type: 'TCP',
  path: 'tcp-checks',
  label: 'TCP monitor',
  metrics,
  duration: 'total',
  phases: ['dns', 'connection', 'data'],
  groupBy: [runLocation],
  settings: TcpSettings,
  target: ({ request }) => ({ hostname: request.hostname, port: request.port }),
  run: () => import('./run.ts'),
  demo,
})
