import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { apiError } from '../../errors.ts'
import type { Access } from '../route.ts'

/** All methods of Node's parser but CONNECT, which never becomes a request. */
const everyMethod = METHODS.filter((method) => method !== 'CONNECT')

type Path = { readonly methods: Set<string>; access: Access }

/** Collects the paths of all routes; call the returned function after the last one to answer 405 to their other methods. */
export function watchMethods(app: FastifyInstance): () => void {
  for (const method of everyMethod) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
  const paths = new Map<string, Path>()
  app.addHook('onRoute', ({ url, method, config }) => {
    const access: Access = config?.access ?? 'key'
    const path = paths.get(url) ?? { methods: new Set(), access }
    for (const one of [method].flat()) path.methods.add(one)
    if (access === 'open' || access === 'optional') path.access = 'open'
    paths.set(url, path)
  })
  return () => {
    for (const [url, path] of [...paths]) refuseOthers(app, url, path)
  }
}

function refuseOthers(app: FastifyInstance, url: string, { methods, access }: Path): void {
  const allowed = everyMethod.filter((method) => methods.has(method)).join(', ')
  app.route({
    method: everyMethod.filter((method) => !methods.has(method)),
    url,
    config: { access: access === 'open' || access === 'metrics' ? access : 'key' },
    onRequest: async ({ method }) => {
      throw apiError('METHOD_NOT_ALLOWED', { method, allowed }, { allow: allowed })
    },
    handler: () => undefined,
  })
}
