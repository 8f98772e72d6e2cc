import { type IncomingMessage, METHODS } from 'node:http'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import type { Access } from '../route.ts'
import { collectPaths, unknownRoute } from './methods.ts'

const app = fastify()
const options = { ignoreTrailingSlash: true, maxParamLength: 100 }
const findPath = collectPaths(app, options)
const route = (method: 'GET' | 'POST' | 'DELETE', url: string, access?: Access) =>
  app.route({ method, url, exposeHeadRoute: false, ...(access && { config: { access } }), handler: () => ({}) })
route('GET', '/v1/checks', 'read')
route('POST', '/v1/checks', 'write')
route('DELETE', '/v1/checks/:id', 'write')
route('GET', '/docs', 'open')
route('POST', '/docs')
route('GET', '/v1/badges', 'optional')
route('GET', '/metrics', 'metrics')
route('GET', '/none')

const request = (method: string, url?: string) => ({ method, url }) as IncomingMessage

test.each([
  ['/v1/checks', 'key', ['GET', 'POST']],
  ['/v1/checks/', 'key', ['GET', 'POST']],
  ['/v1/checks?limit=1', 'key', ['GET', 'POST']],
  ['/v1/checks/shop', 'key', ['DELETE']],
  ['/docs', 'open', ['GET', 'POST']],
  ['/v1/badges', 'open', ['GET']],
  ['/metrics', 'metrics', ['GET']],
  ['/none', 'key', ['GET']],
])('the path %s has the access and methods: %s', (url, access, methods) => {
  const path = findPath(request('PATCH', url))
  expect([path?.access, [...(path?.methods ?? [])]]).toEqual([access, methods])
})

test.each(['/v1/check', '/v1/checks/shop/x', '/docs/x'])('the path %s has no route', (url) => {
  expect(findPath(request('GET', url))).toBeUndefined()
})

const answer = (method: string, url: string) => {
  const { code, message, headers, statusCode } = unknownRoute(request(method, url), findPath(request(method, url)))
  return [statusCode, code, message, headers]
}

test('another method is rejected with the allowed ones', () => {
  const allowed = METHODS.filter((one) => one === 'GET' || one === 'POST').join(', ')
  expect(answer('DELETE', '/v1/checks')).toEqual([
    405,
    'METHOD_NOT_ALLOWED',
    `DELETE is not allowed here. Allowed: ${allowed}.`,
    { allow: allowed },
  ])
  expect(answer('POST', '/none')).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST is not allowed here. Allowed: GET.', { allow: 'GET' }])
})

test.each([
  ['GET', '/v1/nothing'],
  ['POST', '/v1/nothing'],
  ['GET', '/v1/checks'],
  ['GET', '/v1/snippets'],
  ['PUT', '/v1/dashboards'],
  ['POST', '/v1/snippets/1'],
  ['POST', '/v2/snippets'],
  ['POST', '/v1/triggers/others/1'],
])('%s %s is an unknown route', (method, url) => {
  expect(answer(method, url)[1]).toBe('ROUTE_NOT_FOUND')
})

test.each([
  ['/v1/snippets', 'Snippets'],
  ['/v1/snippets/?a=1', 'Snippets'],
  ['/v1/dashboards/', 'Dashboards'],
  ['/v1/client-certificates', 'Client certificates'],
  ['/v1/status-pages', 'Status pages'],
  ['/v1/status-pages/services', 'Services of status pages'],
  ['/v1/status-pages/incidents/', 'Incidents on status pages'],
  ['/v1/triggers/checks/shop', 'Triggers'],
  ['/v1/triggers/check-groups/7/', 'Triggers'],
  ['/v1/checks/agentic', 'Checks of type agentic'],
])('resources at %s are rejected as unsupported', (url, what) => {
  expect(unknownRoute(request('POST', url), undefined)).toMatchObject({
    statusCode: 400,
    code: 'NOT_SUPPORTED',
    message: `${what} are not supported here.`,
  })
})

test('a request without a URL has no route', () => {
  expect(unknownRoute({} as IncomingMessage, undefined).code).toBe('ROUTE_NOT_FOUND')
  expect(findPath({} as IncomingMessage)).toBeUndefined()
})
