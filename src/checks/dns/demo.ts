import type { Static } from '../../schema/typebox.ts'
import type { Demo } from '../demo.ts'
import type { DnsSettings, metrics } from './shape.ts'

export const demo: Demo<Static<typeof DnsSettings>, typeof metrics> = {
  name: 'Shop name service',
  tags: ['network'],
  settings: ({ hostname, dnsPort }) => ({
    request: { query: 'shop.example', recordType: 'A', nameServer: hostname, port: dnsPort, protocol: 'UDP' },
  }),
  files: {},
  run: (draw) => ({
    metrics: { total: draw.failing ? null : draw.around(draw.chance(0.8) ? 4 : 22) },
    failure: draw.failing ? 'no answer within 5,000 ms' : null,
    broken: draw.failing,
  }),
}
