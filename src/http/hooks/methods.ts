import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import findMyWay from 'find-my-way'
import { apiError } from '../../errors.ts'
import type { Access } from '../route.ts'

/** What the routes of a path allow, whatever the method of a request for it. */
export type KnownPath = { readonly methods: Set<string>; access: Access }
export type FindPath = (request: FastifyRequest) => KnownPath | undefined

/** Collects the paths of the routes that are added from now on. A router of its own finds them, since Fastify's needs the right method. */
export function collectPaths(app: FastifyInstance, options: { ignoreTrailingSlash: boolean; maxParamLength: number }): FindPath {
  const paths = new Map<string, KnownPath>()
  const router = findMyWay(options)
  app.addHook('onRoute', ({ url, method, config }) => {
    const access: Access = config?.access ?? 'key'
    const path = paths.get(url) ?? { methods: new Set(), access: access === 'metrics' ? access : 'key' }
    if (!paths.has(url)) router.on('GET', url, () => undefined, path)
    for (const one of [method].flat()) path.methods.add(one)
    if (access === 'open' || access === 'optional') path.access = 'open'
    paths.set(url, path)
  })
  return ({ raw }) => router.find('GET', raw.url ?? '/')?.store
}

/** Before the body is read: the body of a 404 or 405 is not worth reading. */
export function rejectUnknown(app: FastifyInstance, findPath: FindPath): void {
  app.addHook('onRequest', (request, _, done) => {
    const { method, is404 } = request
    const path = findPath(request)
    if (path && !path.methods.has(method)) throw methodNotAllowed(method, path)
    if (is404) throw apiError('ROUTE_NOT_FOUND')
    done()
  })
}

function methodNotAllowed(method: string, { methods }: KnownPath) {
  const allowed = METHODS.filter((one) => methods.has(one)).join(', ')
  return apiError('METHOD_NOT_ALLOWED', { method, allowed }, { allow: allowed })
}
