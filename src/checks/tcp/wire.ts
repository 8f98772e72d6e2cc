import type { Static } from '../../schema/typebox.ts'
import { present, type WireCodec } from '../wire.ts'
import { httpSources, readAssertions, writeAssertions } from '../wire-assertions.ts'
import { readFamily } from '../wire-http.ts'
import type { TcpSettings } from './shape.ts'

const sources = { RESPONSE_DATA: { source: 'responseData' }, RESPONSE_TIME: httpSources.RESPONSE_TIME }

export const wire: WireCodec<Static<typeof TcpSettings>> = {
  path: 'tcp',
  read: (body) => {
    const request = body.object('request')
    return {
      request: present<unknown>({
        hostname: request.template('hostname'),
        port: request.number('port'),
        data: request.template('data'),
        ipFamily: readFamily(request),
        assertions: readAssertions(request, sources),
      }),
      ...(body.flag('shouldFail') && { shouldFail: true }),
    }
  },
  write: ({ request: { hostname, port, data, ipFamily, assertions }, shouldFail }) => ({
    shouldFail: shouldFail ?? false,
    request: { hostname, port, data: data ?? '', ipFamily: ipFamily ?? null, assertions: writeAssertions(assertions, sources) },
  }),
}
