import { Type } from 'typebox'
import { milliseconds, percentage } from '../metric.ts'
import { IpFamily, strict } from '../probe/settings.ts'

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
