import { Type } from '../../schema/typebox.ts'
import { milliseconds } from '../metric.ts'
import { Assertions, Hostname, IpFamily, Port, strict } from '../probe/settings.ts'

export const metrics = {
  total: milliseconds('Total time'),
  dns: milliseconds('DNS lookup'),
  connection: milliseconds('TCP connection'),
  data: milliseconds('Data exchange'),
}

export const TcpSettings = Type.Object({
  request: Type.Object(
    {
      hostname: Hostname,
      port: Port,
      data: Type.Optional(Type.String({ title: 'Data to send after connecting', contentMediaType: 'text/plain' })),
      ipFamily: Type.Optional(IpFamily),
      assertions: Type.Optional(Assertions('responseData', 'responseTime')),
    },
    strict,
  ),
  shouldFail: Type.Optional(Type.Boolean({ title: 'Invert the result: pass on failure, fail on success' })),
})
