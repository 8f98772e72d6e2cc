import fc from 'fast-check'
import type { OpenApi, Parameter } from '../../src/http/reference/openapi.ts'
import { account } from '../support/catalogue.ts'
import { type AnyBody, anyBody } from './bodies.ts'
import { type Call, type Endpoint, endpointsOf, idAt, pathWith } from './operations.ts'
import { allowedValue, fewOf, refusedValue } from './values.ts'
import { hostileText } from './words.ts'
import { keyOf, otherAccount, ours } from './world.ts'

/** Requests for every endpoint of the document: valid, at the limits, beyond them, and hostile. */
export function anyCall(openApi: OpenApi): fc.Arbitrary<Call> {
  return fc.oneof(...endpointsOf(openApi).map(callOf), strayCall)
}

function callOf(endpoint: Endpoint): fc.Arbitrary<Call> {
  const { method, operation } = endpoint
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const body: fc.Arbitrary<AnyBody | null> = operation.requestBody
    ? anyBody(endpoint)
    : mostly<AnyBody | null>(fc.constant(null), anyBody(endpoint))
  return fc
    .record({
      method: mostly(fc.constant(method), anyMethod),
      path: pathOf(endpoint),
      query: queryOf(query),
      credentials: mostly(fc.constant(rightCredentials(endpoint)), anyCredentials),
      headers: anyHeaders,
      body,
    })
    .map(({ method, path, query, credentials, headers, body }) => ({
      method,
      url: `${path}${query === '' ? '' : `?${query}`}`,
      headers: withoutWait(query, { ...headers, ...credentials, ...body?.headers }),
      ...(body && { payload: body.payload }),
    }))
}

/** The usual value in twelve of thirteen cases. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

/** Drops the header that would make an agent's poll wait. */
function withoutWait(query: string, { 'if-none-match': _, ...headers }: Record<string, string>): Record<string, string> {
  return query.includes('wait') || _ === undefined ? headers : { ...headers, 'if-none-match': _ }
}

const anyMethod = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'SEARCH',
  'QUERY',
)

function pathOf({ path, operation }: Endpoint): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'path')
  const values = parameters.map(({ name, schema }) => {
    const usual =
      name === 'id'
        ? fc.constant(idAt(path, ours))
        : path.startsWith('/acknowledge')
          ? fc.constant(ours.acknowledgement.token)
          : allowedValue(schema, name).map(String)
    return [name, mostly(usual, fc.oneof(allowedValue(schema, name).map(String), hostileText)).map(encodeLoosely)]
  })
  const plain = fc.record(Object.fromEntries(values)).map((given) => pathWith(path, given as Record<string, string>))
  return fc.tuple(plain, fc.constantFrom('', '', '', '', '', '', '/', '//', '/x', '%2f', ';a=b', '.json')).map(([text, end]) => text + end)
}

/** Encodes only what a URL cannot contain. */
const encodeLoosely = (text: string) =>
  Buffer.from(text)
    .toString()
    .replace(/[^\x21-\x7e]|[#?/"<>\\^`{|}]/gu, encodeURIComponent)

const oddNames = [
  'metric',
  'Limit',
  'limits',
  '',
  '__proto__',
  'constructor',
  'link',
  'metrics[0]',
  'a[b][c]',
  'x'.repeat(300),
  '%zz',
  '\u0000',
]

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const needed = parameters.filter(({ required }) => required)
  const others = parameters.filter(({ required }) => !required)
  const given = fewOf(others).chain((some) => fc.tuple(...[...needed, ...some].map(pairOf)))
  const odd = fc.tuple(fc.constantFrom(...oddNames), hostileText).map(([name, value]) => `${encodeLoosely(name)}=${encodeLoosely(value)}`)
  return fc
    .record({
      given,
      odd: mostly<string | null>(fc.constant(null), odd),
      end: fc.constantFrom('', '', '', '', '', '&', '&&', '&a', '?', '&='),
      twice: fc.nat(30),
    })
    .map(
      ({ given, odd, end, twice }) => [...given, ...(odd === null ? [] : [odd]), ...(twice === 0 ? given.slice(0, 1) : [])].join('&') + end,
    )
}

/** One parameter, in one of the spellings of lists, usually with a valid value. */
function pairOf({ name, schema }: Parameter): fc.Arbitrary<string> {
  const value = mostly(allowedValue(schema, name), refusedValue(schema))
  return fc.tuple(value, fc.constantFrom(...spellings)).map(([each, spell]) => spell(name, [each].flat().map(textOf)))
}

const textOf = (value: unknown) =>
  encodeLoosely(typeof value === 'object' ? JSON.stringify(value) : String(value))
    .replaceAll('&', '%26')
    .replaceAll('+', '%2B')

const spellings: readonly ((name: string, values: readonly string[]) => string)[] = [
  (name, values) => `${name}=${values.join(',')}`,
  (name, values) => `${name}=${values.join('%2C')}`,
  (name, values) => values.map((value) => `${name}=${value}`).join('&'),
  (name, values) => `${name}[]=${values.join(',')}`,
  (name, values) => values.map((value) => `${name}%5B%5D=${value}`).join('&'),
]

const bearer = (key: string, owner?: string) => ({ authorization: `Bearer ${key}`, ...(owner && { 'x-service-account': owner }) })

/** A key that is accepted, so that the rest of the request is tested. */
export function rightCredentials({ path, method }: Endpoint): Readonly<Record<string, string>> {
  if (method !== 'GET' && /^\/v1\/(alerts\b|silences\b|alert-channels\/\{id\}\/test)/.test(path))
    return bearer(keyOf(account, 'operate'), account)
  if (method !== 'GET' && /^\/v1\/(checks|alert-channels|maintenance-windows|private-locations)\b/.test(path))
    return bearer(keyOf(account, 'write'), account)
  if (path.startsWith('/v1/agents/')) return bearer(keyOf(account, 'agent'))
  if (path === '/metrics') return bearer(keyOf(account, 'metrics'))
  return bearer(keyOf(account, method === 'POST' && path === '/v1/check-results' ? 'ingest' : 'read'), account)
}

const anyCredentials: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    bearer(keyOf(account, 'admin'), account),
    bearer(keyOf(account, 'ingest'), account),
    bearer(keyOf(account, 'agent'), account),
    bearer(keyOf(account, 'admin'), otherAccount),
    bearer(keyOf(account, 'admin')),
    bearer(keyOf(otherAccount, 'read'), otherAccount),
    { authorization: 'Basic Og==' },
    { authorization: `Bearer ${'x'.repeat(5000)}`, 'x-service-account': account },
  ),
  hostileText.map((text) => ({ authorization: `Bearer ${headerText(text)}`, 'x-service-account': account })),
)

/** Node rejects other characters before the server sees them. */
const headerText = (text: string) => text.replace(/[^\x20-\x7e\x80-\xff]/g, '')

const headerValues: Readonly<Record<string, fc.Arbitrary<string>>> = {
  accept: fc.constantFrom(
    '*/*',
    'text/csv',
    'application/json',
    'text/html',
    'image/*',
    'application/openmetrics-text',
    'x/y;q=2',
    ';;',
    ','.repeat(500),
  ),
  'accept-encoding': fc.constantFrom('gzip', 'br', 'identity;q=0', '*;q=0', 'gzip;q=0, br', 'zstd'),
  'if-none-match': fc.constantFrom('*', '""', 'W/"x"', '"a", "b"'),
  origin: fc.constantFrom('https://example.test', 'null', 'x'),
  'last-event-id': fc.constantFrom('', '0', 'abcdef012345-7', 'x'.repeat(300)),
  range: fc.constantFrom('bytes=0-1', 'bytes=-1'),
  'x-prometheus-scrape-timeout-seconds': fc.constantFrom('0', '-1', 'NaN', '1e9', '0.001'),
  'x-forwarded-for': fc.constantFrom('127.0.0.1', 'x'),
  'x-http-method-override': fc.constantFrom('DELETE'),
  host: fc.constantFrom('', 'evil.test', '[::1]'),
  cookie: hostileText.map(headerText),
}
const anyHeaders: fc.Arbitrary<Record<string, string>> = fewOf(Object.keys(headerValues)).chain((names) =>
  fc.record(Object.fromEntries(names.map((name) => [name, headerValues[name] ?? fc.constant('')])), { noNullPrototype: true }),
)

/** Requests for paths without an endpoint. */
const strayCall: fc.Arbitrary<Call> = fc
  .record({
    method: anyMethod,
    path: fc.oneof(
      fc.constantFrom(
        '/',
        '/v1',
        '/v1/',
        '/v1/analytics',
        '/v1/checks/a/b',
        '/v3/checks',
        '/docs',
        '/openapi.json',
        '//',
        '/..',
        '*',
        '/%2e%2e/x',
        '/V1/checks',
        `/${'x'.repeat(17_000)}`,
      ),
      hostileText.map((text) => `/v1/${encodeLoosely(text)}`),
    ),
    credentials: anyCredentials,
    headers: anyHeaders,
  })
  .map(({ method, path, credentials, headers }) => ({ method, url: path, headers: { ...headers, ...credentials } }))
