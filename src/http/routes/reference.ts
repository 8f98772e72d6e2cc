import type { FastifyInstance } from 'fastify'
import { withComponents } from '../reference/components.ts'
import type { OpenApi } from '../reference/openapi.ts'
import { referencePage, referencePolicy } from '../reference/reference-page.ts'
import type { BasePath } from '../server/request-head.ts'

export function referenceRoutes(app: FastifyInstance, describe: () => OpenApi, basePath: BasePath): void {
  let json: string | undefined
  let page: string | undefined
  app.get('/openapi.json', { config: { access: 'open' } }, async (_, reply) => {
    json ??= JSON.stringify(withComponents(describe()))
    return reply.type('application/json; charset=utf-8').send(json)
  })
  app.get('/docs', { config: { access: 'open' } }, async (_, reply) => {
    page ??= referencePage(describe(), basePath)
    return reply.type('text/html; charset=utf-8').header('content-security-policy', referencePolicy).send(page)
  })
}
