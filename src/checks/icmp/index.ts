import { Type } from 'typebox'
import { defineCheckType, milliseconds, percentage, runLocation } from '../define.ts'
import { IpFamily, strict } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = {
  packetLoss: percentage('Packet loss'),
  latencyMin: milliseconds('Minimum latency'),
  latencyMax: milliseconds('Maximum latency'),
  latencyAvg: milliseconds('Average latency'),
  latencyStdDev: milliseconds('Latency standard deviation'),
}

export const IcmpSettings = Type.Object({
  request: Type.Object(
    {
      hostname: Type.String({ minLength: 1 }),
      ipFamily: Type.Optional(IpFamily),
      pingCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
    },
    strict,
  ),
  degradedPacketLoss: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  maxPacketLoss: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
})

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
  target: ({ request }) => ({ hostname: request.hostname }),
  run: () => import('./run.ts'),
  selfTest: async (machine) => (await import('./self-test.ts')).icmpAvailable(machine),
  demo,
})
