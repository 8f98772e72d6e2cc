import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { testCatalogue, testLink } from '../../../test/support/catalogue.ts'
import { isLongHeader, linkedBodyOf, linkTokenOf, routeLinkedPost, withoutBasePath, withoutLinkToken } from './request-head.ts'

const requestOf = (method = 'GET') => ({ method, headers: { 'content-type': 'text/plain', host: 'x' } }) as unknown as IncomingMessage

test.each([
  ['/v1/slos?link=tdl_a_b', '/v1/slos', 'tdl_a_b'],
  ['/v1/slos?link=tdl_a_b&format=csv', '/v1/slos?format=csv', 'tdl_a_b'],
  ['/v1/slos?format=csv&link=tdl_a_b', '/v1/slos?format=csv', 'tdl_a_b'],
  ['/v1/slos?a=1&link=tdl_a_b&b=2', '/v1/slos?a=1&b=2', 'tdl_a_b'],
  ['/v1/slos?a=1&link=tdl_a&link=tdl_b', '/v1/slos?a=1&link=tdl_b', 'tdl_a'],
  ['/v1/slos?blink=tdl_a', '/v1/slos?blink=tdl_a', undefined],
  ['/v1/slos?link=other', '/v1/slos?link=other', undefined],
  ['/v1/slos', '/v1/slos', undefined],
])('%s is routed as %s, with the link %s', (url, routed, token) => {
  const request = requestOf()
  expect([withoutLinkToken(request, url), linkTokenOf(request)]).toEqual([routed, token])
})

test.each([
  ['/tidemark/v1/checks', '/tidemark', '/v1/checks'],
  ['/tidemark', '/tidemark', '/'],
  ['/tidemark?a=1', '/tidemark', '/?a=1'],
  ['/tidemark/', '/tidemark', '/'],
  ['/tidemarks/v1', '/tidemark', '/tidemarks/v1'],
  ['/v1/checks', '/tidemark', '/v1/checks'],
  ['/v1/checks', '', '/v1/checks'],
])('%s below %j is %s', (url, basePath, path) => {
  expect(withoutBasePath(url, basePath)).toBe(path)
})

test('a header is too long from 8193 characters on, except a cookie', () => {
  const headers = { accept: 'x'.repeat(8192), origin: 'x'.repeat(8193), cookie: 'x'.repeat(20_000) }
  expect(['accept', 'origin', 'cookie', 'none'].map((name) => isLongHeader(headers, name))).toEqual([false, true, false, false])
})

test('a GET of a link with a body is routed as the POST that it represents', () => {
  const token = `tdl_Ab3dE9xQ_${'0'.repeat(32)}_000000`
  const plain = `tdl_Cd3dE9xQ_${'0'.repeat(32)}_000000`
  const links = [testLink(token, '/v1/analytics/query', { body: '{"metrics":["total"]}' }), testLink(plain, '/v1/slos')]
  const routed = (given: string | null, method = 'GET') => {
    const request = requestOf(method)
    if (given !== null) withoutLinkToken(request, `/v1/analytics/query?link=${given}`)
    routeLinkedPost(request, testCatalogue({ links }))
    return [request.method, request.headers, linkedBodyOf(request)]
  }
  const headers = { 'content-type': 'text/plain', host: 'x' }
  expect(routed(token)).toEqual(['POST', { host: 'x' }, '{"metrics":["total"]}'])
  expect(routed(token, 'POST')).toEqual(['POST', headers, undefined])
  expect(routed(plain)).toEqual(['GET', headers, undefined])
  expect(routed(null)).toEqual(['GET', headers, undefined])
})
