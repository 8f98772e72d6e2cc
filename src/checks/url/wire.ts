import type { Static } from '../../schema/typebox.ts'
import type { WireCodec } from '../wire.ts'
import { httpSources } from '../wire-assertions.ts'
import { readHttpRequest, writeHttpRequest } from '../wire-http.ts'
import type { UrlSettings } from './shape.ts'

const { STATUS_CODE, CERTIFICATE_DAYS } = httpSources
const sources = { STATUS_CODE, CERTIFICATE_DAYS }

export const wire: WireCodec<Static<typeof UrlSettings>> = {
  path: 'url',
  read: (body) => {
    const request = body.object('request')
    request.word('method', { GET: 'GET' })
    request.word('bodyType', { NONE: 'NONE' })
    return { request: readHttpRequest(request, sources), ...(body.flag('shouldFail') && { shouldFail: true }) }
  },
  write: ({ request, shouldFail }) => ({
    shouldFail: shouldFail ?? false,
    request: { method: 'GET', ...writeHttpRequest(request, sources) },
  }),
  pointers: { '/request/skipTls': '/request/skipSSL' },
}
