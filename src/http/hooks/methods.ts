import { type IncomingMessage, METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import { type ApiError, apiError } from '../../errors.ts'
import type { Access } from '../route.ts'

type KnownPath = { readonly methods: Set<string>; access: Access }
export type FindPath = (request: IncomingMessage) => KnownPath | undefined

type PathOptions = { ignoreTrailingSlash: boolean; maxParamLength: number }

/**
 * Collects the paths of all routes added from now on. Lookup needs a separate router, since Fastify's matches only the right method; it is
 * built on the first request without a route.
 */
export function collectPaths(app: FastifyInstance, options: PathOptions): FindPath {
  const paths = new Map<string, KnownPath>()
  let find: FindPath | undefined
  app.addHook('onRoute', ({ url, method, config }) => {
    const access: Access = config?.access ?? 'key'
    const path = paths.get(url) ?? { methods: new Set(), access: access === 'metrics' ? access : 'key' }
    for (const one of [method].flat()) path.methods.add(one)
    if (access === 'open' || access === 'optional') path.access = 'open'
    paths.set(url, path)
  })
  return (request) => {
    find ??= routerOf(paths, options)
    return find(request)
  }
}

function routerOf(paths: ReadonlyMap<string, KnownPath>, options: PathOptions): FindPath {
  const router = findMyWay(options)
  for (const [url, path] of paths) router.on('GET', url, () => undefined, path)
  return ({ url = '/' }) => router.find('GET', url)?.store
}

/** Resources that API clients try to create and Tidemark does not support, by path. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^\/v1\/snippets\/?$/, 'Snippets'],
  [/^\/v1\/dashboards\/?$/, 'Dashboards'],
  [/^\/v1\/client-certificates\/?$/, 'Client certificates'],
  [/^\/v1\/status-pages\/?$/, 'Status pages'],
  [/^\/v1\/status-pages\/services\/?$/, 'Services of status pages'],
  [/^\/v1\/status-pages\/incidents\/?$/, 'Incidents on status pages'],
  [/^\/v1\/triggers\/(checks|check-groups)\/[^/]+\/?$/, 'Triggers'],
  [/^\/v1\/checks\/([a-z]{1,30})\/?$/, 'Checks of type $1'],
]

/** Names the unsupported resource in the message, since clients show nothing else. */
function unsupportedAt(url: string): ApiError | null {
  const [address = ''] = url.split('?')
  const found = unsupported.find(([pattern]) => pattern.test(address))
  return found ? apiError('NOT_SUPPORTED', { what: address.replace(...found) }) : null
}

/** The error for a request without a route: 405 if the path has routes for other methods. */
export function unknownRoute({ method = '', url = '' }: IncomingMessage, path: KnownPath | undefined): ApiError {
  const refused = method === 'POST' ? unsupportedAt(url) : null
  if (refused) return refused
  if (!path || path.methods.has(method)) return apiError('ROUTE_NOT_FOUND')
  const allowed = METHODS.filter((one) => path.methods.has(one)).join(', ')
  return apiError('METHOD_NOT_ALLOWED', { method, allowed }, { allow: allowed })
}
