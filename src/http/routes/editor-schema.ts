import { once } from '../../cache/cache.ts'
import { editorSchemas } from '../../catalogue/config-file/editor-schema.ts'
import type { Routes } from '../route.ts'

const texts = {
  '/tidemark.schema.json': once(() => JSON.stringify(editorSchemas.config())),
  '/tidemark.included.schema.json': once(() => JSON.stringify(editorSchemas.included())),
}

/** Schemas of config files, open because editors send no key. They do not depend on the config. */
export const editorSchemaRoutes: Routes = (app) => {
  for (const [path, text] of Object.entries(texts))
    app.get(path, { config: { access: 'open' } }, async (_, reply) =>
      reply.type('application/schema+json; charset=utf-8').header('cache-control', 'no-cache').send(text()),
    )
}
