import type { Static } from '../../schema/typebox.ts'
import { present, sameWords, type WireCodec, wireWords } from '../wire.ts'
import { httpSources } from '../wire-assertions.ts'
import { readHttpRequest, writeHttpRequest } from '../wire-http.ts'
import { readPairs, writePairs } from '../wire-pairs.ts'
import type { WireReader } from '../wire-reader.ts'
import type { ApiSettings } from './shape.ts'

type Settings = Static<typeof ApiSettings>

export const wire: WireCodec<Settings> = {
  path: 'api',
  read: (body) => ({ request: readRequest(body.object('request')), ...(body.flag('shouldFail') && { shouldFail: true }) }),
  write: ({ request, shouldFail }) => ({ shouldFail: shouldFail ?? false, request: writeRequest(request) }),
  pointers: { '/request/skipTls': '/request/skipSSL', '/request/query': '/request/queryParameters' },
  hasVariables: true,
}

const methods = sameWords(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
const bodyTypes = { ...wireWords(['json', 'form', 'raw', 'graphql']), NONE: 'none' }

function readRequest(request: WireReader) {
  const method = request.word('method', methods)
  return present<unknown>({
    method: method === 'GET' ? undefined : method,
    ...readHttpRequest(request, httpSources),
    headers: readPairs(request, 'headers'),
    query: readPairs(request, 'queryParameters'),
    ...readBody(request),
    basicAuth: readCredentials(request.object('basicAuth')),
  })
}

function readBody(request: WireReader) {
  const body = request.template('body')
  const bodyType = request.word('bodyType', bodyTypes)
  if (bodyType === 'none' && body !== undefined) request.fault('bodyType', 'bodyType NONE sends no body: use RAW')
  return { body, bodyType: bodyType === 'none' || (bodyType === 'raw' && body === undefined) ? undefined : bodyType }
}

export function readCredentials(basicAuth: WireReader) {
  const username = basicAuth.template('username')
  const password = basicAuth.template('password')
  return username === undefined && password === undefined ? undefined : { username: username ?? '', password: password ?? '' }
}

function writeRequest(request: Settings['request']) {
  const { method, headers, query, body, bodyType, basicAuth } = request
  return {
    method: method ?? 'GET',
    ...writeHttpRequest(request, httpSources),
    headers: writePairs(headers),
    queryParameters: writePairs(query),
    body: body ?? '',
    bodyType: body || (bodyType ?? 'raw') !== 'raw' ? (bodyType ?? 'raw').toUpperCase() : 'NONE',
    basicAuth: basicAuth?.username || basicAuth?.password ? basicAuth : null,
  }
}
