import { Type } from 'typebox'
import { defineCheckType, milliseconds, runLocation } from '../define.ts'
import { Assertions, IpFamily, Port, strict } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = {
  total: milliseconds('Total time'),
  dns: milliseconds('DNS lookup'),
  connection: milliseconds('TCP connection'),
  data: milliseconds('Data exchange'),
}

export const TcpSettings = Type.Object({
  request: Type.Object(
    {
      hostname: Type.String({ minLength: 1 }),
      port: Port,
      data: Type.Optional(Type.String()),
      ipFamily: Type.Optional(IpFamily),
      assertions: Type.Optional(Assertions('responseData', 'responseTime')),
    },
    strict,
  ),
  shouldFail: Type.Optional(Type.Boolean()),
})

export const tcp = defineCheckType({
  type: 'TCP',
  path: 'tcp-checks',
  label: 'TCP monitor',
  metrics,
  duration: 'total',
  phases: ['dns', 'connection', 'data'],
  groupBy: [runLocation],
  settings: TcpSettings,
  target: ({ request }) => ({ hostname: request.hostname, port: request.port }),
  run: () => import('./run.ts'),
  demo,
})
