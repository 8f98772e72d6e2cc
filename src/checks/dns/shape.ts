import { titled } from '../../schema/titled.ts'
import { Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { Assertions, Hostname, Port, strict } from '../probe/settings.ts'

export const metrics = {
  total: milliseconds('Total time'),
}

export const DnsSettings = Type.Object({
  request: Type.Object(
    {
      query: Type.String({ minLength: 1, maxLength: 253, title: 'The name to resolve' }),
      recordType: Type.Optional(Type.Enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'HTTPS'])),
      nameServer: Type.Optional(titled('The name server to query; default: that of the system', Hostname)),
      port: Type.Optional(Port),
      protocol: Type.Optional(Type.Enum(['UDP', 'TCP'])),
      assertions: Type.Optional(Assertions('responseCode', 'answer', 'responseTime')),
    },
    strict,
  ),
})
