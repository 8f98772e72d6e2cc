import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import { type PingKind, receivePing } from '../../ingest/ping.ts'
import type { Doc, Routes } from '../route.ts'

const maxBodyBytes = 65_536
const paths: Readonly<Record<string, PingKind>> = { '/ping/:token': 'alive', '/ping/:token/fail': 'failed' }

/** Jobs report here that they are alive. The token is the only credential; bodies are ignored. */
export const pingRoutes: Routes = async (app, { catalogue, store, clock }) => {
  const checkOf = ({ params }: FastifyRequest): Check => {
    const { token } = params as { readonly token: string }
    const check = catalogue.checkByPingToken(sha256(token))
    if (!check) throw apiError('PING_NOT_FOUND')
    return check
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_: FastifyRequest, body: Readable) => discard(body))
    for (const [url, kind] of Object.entries(paths)) {
      scope.route({
        method: ['GET', 'POST', 'HEAD'],
        url,
        exposeHeadRoute: false,
        config: { access: 'open', doc: doc(kind) },
        // Before the body: whoever has no token may not make us read one.
        onRequest: async (request) => void checkOf(request),
        handler: async (request, reply) => {
          const check = checkOf(request)
          await receivePing(store, check, kind, clock.now())
          return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store').send('OK')
        },
      })
    }
  })
}

/** Reads a body without keeping it. */
function discard(body: Readable): Promise<null> {
  let length = 0
  return new Promise((resolve, reject) => {
    body
      .on('data', (chunk: Buffer) => {
        length += chunk.length
        if (length > maxBodyBytes) reject(apiError('BODY_TOO_LARGE', { limit: `${maxBodyBytes} bytes` }))
      })
      .on('end', () => resolve(null))
      .on('error', reject)
  })
}

const doc = (kind: PingKind): Doc => ({
  group: 'Pings',
  summary: kind === 'alive' ? 'Say that a job is alive' : 'Say that a job has failed',
  path: { token: { type: 'string', description: 'The token of the check; no other credentials are needed.' } },
  answer: { description: 'The ping is on disk.', mediaType: 'text/plain', schema: { type: 'string' }, example: 'OK' },
  errors: ['PING_NOT_FOUND', 'UNAVAILABLE'],
})
