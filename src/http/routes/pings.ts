import { apiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import { type PingKind, receivePing } from '../../ingest/ping.ts'
import type { Doc, Routes } from '../route.ts'

const paths: Readonly<Record<string, PingKind>> = { '/ping/:token': 'alive', '/ping/:token/fail': 'failed' }

/** Jobs report here that they are alive. The token is the only credential; bodies are ignored. */
export const pingRoutes: Routes = async (app, { catalogue, store, clock }) => {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 65_536 }, async () => null)
    for (const [url, kind] of Object.entries(paths)) {
      scope.route({
        method: ['GET', 'POST', 'HEAD'],
        url,
        exposeHeadRoute: false,
        config: { access: 'open', doc: doc(kind) },
        handler: async (request, reply) => {
          const { token } = request.params as { readonly token: string }
          const check = catalogue.checkByPingToken(sha256(token))
          if (!check) throw apiError('PING_NOT_FOUND')
          await receivePing(store, check, kind, clock.now())
          return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send('OK')
        },
      })
    }
  })
}

const doc = (kind: PingKind): Doc => ({
  group: 'Pings',
  summary: kind === 'alive' ? 'Say that a job is alive' : 'Say that a job has failed',
  path: { token: { type: 'string', description: 'The token of the check; no other credentials are needed.' } },
  answer: { description: 'The ping is on disk.', mediaType: 'text/plain', schema: { type: 'string' }, example: 'OK' },
  errors: ['PING_NOT_FOUND', 'UNAVAILABLE'],
})
