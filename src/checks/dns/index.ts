import { Type } from 'typebox'
import { defineCheckType, milliseconds, runLocation } from '../define.ts'
import { Assertions, Port, strict } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = {
  total: milliseconds('Total time'),
}

export const DnsSettings = Type.Object({
  request: Type.Object(
    {
      query: Type.String({ minLength: 1, maxLength: 253 }),
      recordType: Type.Optional(Type.Enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'HTTPS'])),
      nameServer: Type.Optional(Type.String({ minLength: 1 })),
      port: Type.Optional(Port),
      protocol: Type.Optional(Type.Enum(['UDP', 'TCP'])),
      assertions: Type.Optional(Assertions('responseCode', 'answer', 'responseTime')),
    },
    strict,
  ),
})

export const dns = defineCheckType({
  type: 'DNS',
  path: 'dns',
  label: 'DNS monitor',
  metrics,
  duration: 'total',
  groupBy: [runLocation],
  settings: DnsSettings,
  target: ({ request }) => ({ query: request.query, recordType: request.recordType ?? 'A' }),
  run: () => import('./run.ts'),
  demo,
})
