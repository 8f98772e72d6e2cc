import { type IncomingMessage, METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import findMyWay from 'find-my-way'
import { type ApiError, apiError } from '../../errors.ts'
import type { Access } from '../route.ts'

/** The allowed methods of a path. */
type KnownPath = { readonly methods: Set<string>; access: Access }
export type FindPath = (request: IncomingMessage) => KnownPath | undefined

type PathOptions = { ignoreTrailingSlash: boolean; maxParamLength: number }

/**
 * Collects the paths of the routes that are added from now on. A separate router finds them, since Fastify's needs the right method; it is
 * built for the first request that has no route.
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

/** What clients of this API make and Tidemark does not have, by the address that they make it at. */
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

/** Refuses by its name what there is none of: clients show the message, and nothing else. */
function unsupportedAt(url: string): ApiError | null {
  const [address = ''] = url.split('?')
  const found = unsupported.find(([pattern]) => pattern.test(address))
  return found ? apiError('NOT_SUPPORTED', { what: address.replace(...found) }) : null
}

/** The error of a request for which there is no route: 405 where its path has routes for other methods. */
export function unknownRoute({ method = '', url = '' }: IncomingMessage, path: KnownPath | undefined): ApiError {
  const refused = method === 'POST' ? unsupportedAt(url) : null
  if (refused) return refused
  if (!path || path.methods.has(method)) return apiError('ROUTE_NOT_FOUND')
  const allowed = METHODS.filter((one) => path.methods.has(one)).join(', ')
  return apiError('METHOD_NOT_ALLOWED', { method, allowed }, { allow: allowed })
}
