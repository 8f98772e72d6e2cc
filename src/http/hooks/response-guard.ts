import type { FastifyInstance } from 'fastify'
import type { Deps } from '../route.ts'
import { linkTokenOf } from '../server/request-url.ts'
import type { Closing } from './graceful-close.ts'
import { linkHeaders } from './links.ts'
import { logIfSlow } from './request-log.ts'

/** Decides about every answer before it is sent; one hook, as for requests. */
export function installResponseGuard(app: FastifyInstance, { log }: Pick<Deps, 'log'>, closing: Closing): void {
  app.addHook('onSend', (request, reply, _, done) => {
    if (closing.isClosing) reply.raw.shouldKeepAlive = false
    if (linkTokenOf(request.raw) !== undefined) reply.headers(linkHeaders)
    logIfSlow(request, log)
    done()
  })
}
