import { defineCheckType } from '../define.ts'
import { runLocation } from '../metric.ts'
import { hostOf } from '../probe/net/host-of.ts'
import { demo } from './demo.ts'
import { IcmpSettings, metrics } from './shape.ts'
import { wire } from './wire.ts'

export const icmp = defineCheckType({
  type: 'ICMP',
  path: 'icmp',
  label: 'ICMP monitor',
  metrics,
  duration: 'latencyAvg',
  groupBy: [runLocation],
  summary: {
    latency: { metric: 'latencyAvg', aggregations: ['avg', 'p50', 'p95', 'p99'] },
    packetLoss: { metric: 'packetLoss', aggregations: ['avg', 'p95', 'p99'] },
  },
  settings: IcmpSettings,
  fromAddress: ({ protocol, hostname }) =>
    /^(icmp|ping):$/.test(protocol) && hostname !== '' ? { request: { hostname: hostOf(hostname) } } : undefined,
  target: ({ request }) => ({ hostname: request.hostname }),
  run: () => import('./run.ts'),
  selfTest: async (machine) => (await import('./ping.ts')).icmpAvailable(machine),
  wire,
  demo,
})
