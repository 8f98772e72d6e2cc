import type { Draw, InventedRun } from '../../demo.ts'
import type { httpMetrics } from './http-metrics.ts'

/** An invented HTTP exchange that takes about `serverMs` at the server; half of the failing ones have no response at all. */
export function inventExchange(draw: Draw, serverMs: number): InventedRun<typeof httpMetrics> {
  const wait = draw.around(0.4) / draw.level
  if (draw.failing && draw.chance(0.5)) {
    return {
      metrics: { responseTime: null, wait, dns: null, tcp: null, firstByte: null, download: null },
      failure: 'no answer within 5,000 ms at connect',
      broken: true,
    }
  }
  const dns = draw.chance(0.7) ? draw.around(1.2) : draw.around(14)
  const tcp = draw.around(9)
  const firstByte = draw.around(serverMs)
  const download = draw.around(6)
  return {
    metrics: { responseTime: wait + dns + tcp + firstByte + download, wait, dns, tcp, firstByte, download },
    fields: { statusCode: draw.failing ? 503 : 200 },
    failure: draw.failing ? 'status 503, expected 200' : null,
    broken: false,
  }
}
