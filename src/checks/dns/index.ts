import { defineCheckType } from '../define.ts'
import { runLocation } from '../metric.ts'
import { demo } from './demo.ts'
import { DnsSettings, metrics } from './shape.ts'
import { wire } from './wire.ts'

export const dns = defineCheckType({
  type: 'DNS',
  path: 'dns',
  label: 'DNS monitor',
  metrics,
  duration: 'total',
  groupBy: [runLocation],
  settings: DnsSettings,
  fromAddress: ({ protocol, hostname }) => (protocol === 'dns:' && hostname !== '' ? { request: { query: hostname } } : undefined),
  target: ({ request }) => ({ query: request.query, recordType: request.recordType ?? 'A' }),
  run: () => import('./run.ts'),
  wire,
  demo,
})
