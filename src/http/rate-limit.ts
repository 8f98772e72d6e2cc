import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { apiError } from '../errors.ts'
import { callerOf } from './route.ts'

/** Counts the requests of each key, as many as the config file says now. To be installed after authentication. */
export async function installRateLimit(app: FastifyInstance, catalogue: Catalogue): Promise<void> {
  await app.register(rateLimit, { global: false })
  const countRequest = app.createRateLimit({
    max: () => catalogue.service().rateLimit.requests,
    timeWindow: () => catalogue.service().rateLimit.perMs,
    keyGenerator: (request) => callerOf(request).key.hash,
  })
  app.addHook('onRequest', async (request, reply) => {
    if (!request.caller) return
    const counted = await countRequest(request)
    if (counted.isAllowed) return
    const { max, remaining, ttlInSeconds, timeWindow } = counted
    reply.headers({ 'ratelimit-limit': max, 'ratelimit-remaining': remaining, 'ratelimit-reset': ttlInSeconds })
    if (!counted.isExceeded) return
    const words = { limit: max, window: `${timeWindow / 1000} s`, seconds: ttlInSeconds }
    throw apiError('RATE_LIMITED', words, { 'retry-after': String(ttlInSeconds) })
  })
}
