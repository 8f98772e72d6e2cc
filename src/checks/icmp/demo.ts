import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import type { IcmpSettings, metrics } from './shape.ts'

const pings = 10

export const demo: Demo<Static<typeof IcmpSettings>, typeof metrics> = {
  name: 'Edge router',
  tags: ['network'],
  settings: ({ hostname }) => ({ request: { hostname, pingCount: pings }, degradedPacketLoss: 10, maxPacketLoss: 30 }),
  files: {},
  run: (draw) => {
    if (draw.failing) {
      const metrics = { packetLoss: 100, latencyMin: null, latencyMax: null, latencyAvg: null, latencyStdDev: null }
      return { metrics, failure: 'packet loss 100 %, at most 30 % allowed', broken: false }
    }
    const replies = Array.from({ length: draw.chance(0.03) ? pings - 1 : pings }, () => draw.around(11))
    const latencyAvg = replies.reduce((sum, reply) => sum + reply, 0) / replies.length
    const latencyStdDev = Math.sqrt(replies.reduce((sum, reply) => sum + (reply - latencyAvg) ** 2, 0) / replies.length)
    const packetLoss = ((pings - replies.length) / pings) * 100
    return {
      metrics: { packetLoss, latencyMin: Math.min(...replies), latencyMax: Math.max(...replies), latencyAvg, latencyStdDev },
      failure: null,
      broken: false,
      degraded: packetLoss >= 10,
    }
  },
}
