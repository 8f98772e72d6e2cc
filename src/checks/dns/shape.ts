import { Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { Assertions, Hostname, Port, strict } from '../probe/settings.ts'

export const metrics = {
  total: milliseconds('Total time'),
}

export const DnsSettings = Type.Object({
  request: Type.Object(
    {
      query: Type.String({ minLength: 1, maxLength: 253 }),
      recordType: Type.Optional(Type.Enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'HTTPS'])),
      nameServer: Type.Optional(Hostname),
      port: Type.Optional(Port),
      protocol: Type.Optional(Type.Enum(['UDP', 'TCP'])),
      assertions: Type.Optional(Assertions('responseCode', 'answer', 'responseTime')),
    },
    strict,
  ),
})
