import type { Static } from '../../schema/typebox.ts'
import { present, type WireCodec } from '../wire.ts'
import { httpSources, readAssertions, writeAssertions } from '../wire-assertions.ts'
import type { DnsSettings } from './shape.ts'

const sources = {
  RESPONSE_CODE: { source: 'responseCode' },
  RESPONSE_TIME: httpSources.RESPONSE_TIME,
  TEXT_ANSWER: { source: 'answer' },
  JSON_ANSWER: { source: 'answer', property: { otherwise: '$' } },
}

export const wire: WireCodec<Static<typeof DnsSettings>> = {
  path: 'dns',
  read: (body) => {
    const request = body.object('request')
    const port = request.number('port')
    return {
      request: present<unknown>({
        query: request.template('query'),
        recordType: request.text('recordType')?.toUpperCase(),
        nameServer: request.template('nameServer'),
        port: port === 0 ? undefined : port,
        protocol: request.text('protocol')?.toUpperCase(),
        assertions: readAssertions(request, sources),
      }),
    }
  },
  write: ({ request: { query, recordType, nameServer, port, protocol, assertions } }) => ({
    shouldFail: false,
    request: {
      query,
      recordType: recordType ?? 'A',
      nameServer: nameServer ?? '',
      port: port ?? null,
      protocol: protocol ?? 'UDP',
      assertions: writeAssertions(assertions, sources),
    },
  }),
}
