import { Type } from '../../schema/typebox.ts'
import { milliseconds, percentage } from '../metric.ts'
import { Assertions, Hostname, IpFamily, strict } from '../probe/settings.ts'

export const metrics = {
  packetLoss: percentage('Packet loss'),
  latencyMin: milliseconds('Minimum latency'),
  latencyMax: milliseconds('Maximum latency'),
  latencyAvg: milliseconds('Average latency'),
  latencyStdDev: milliseconds('Latency standard deviation'),
}

const Settings = Type.Object({
  request: Type.Object(
    {
      hostname: Hostname,
      ipFamily: Type.Optional(IpFamily),
      pingCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, title: 'Pings per run, 1 to 50' })),
      assertions: Type.Optional(Assertions('latency', 'jsonResponse')),
    },
    strict,
  ),
  degradedPacketLoss: Type.Optional(Type.Number({ minimum: 0, maximum: 100, title: 'Higher packet loss in percent is degraded' })),
  maxPacketLoss: Type.Optional(Type.Number({ minimum: 0, maximum: 100, title: 'Higher packet loss in percent fails' })),
})

export const IcmpSettings: typeof Settings = Type.Refine(
  Settings,
  ({ degradedPacketLoss = 0, maxPacketLoss = 100 }) => degradedPacketLoss <= maxPacketLoss,
  () => 'degradedPacketLoss must be at most maxPacketLoss',
)
