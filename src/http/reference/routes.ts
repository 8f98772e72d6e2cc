import type { FastifyInstance } from 'fastify'
import type { BasePath } from '../base-path.ts'
import type { OpenApi } from './openapi.ts'
import { referencePage, referencePolicy } from './reference-page.ts'

/** The reference as OpenAPI and as HTML. */
export function referenceRoutes(app: FastifyInstance, describe: () => OpenApi, basePath: BasePath): void {
  let described: OpenApi | undefined
  let page: string | undefined
  const description = () => {
    described ??= describe()
    return described
  }
  app.get('/openapi.json', { config: { access: 'open' } }, async () => description())
  app.get('/docs', { config: { access: 'open' } }, async (_, reply) => {
    page ??= referencePage(description(), basePath)
    return reply.type('text/html; charset=utf-8').header('content-security-policy', referencePolicy).send(page)
  })
}
