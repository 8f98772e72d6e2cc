import type { FastifyInstance } from 'fastify'
import { apiError } from '../errors.ts'
import type { Deps } from './route.ts'

type Window = { readonly startedAt: number; requests: number }

/** Counts the requests of each key, as many as the config file says now. To be installed after authentication. */
export function installRateLimit(app: FastifyInstance, { catalogue, clock }: Pick<Deps, 'catalogue' | 'clock'>): void {
  const windows = new Map<string, Window>()
  app.addHook('onRequest', ({ caller }, reply, done) => {
    if (!caller) return done()
    const { requests: limit, perMs } = catalogue.service().rateLimit
    const now = clock.now()
    const window = windowOf(windows, caller.key.hash, { now, perMs })
    const seconds = Math.ceil((window.startedAt + perMs - now) / 1000)
    window.requests++
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', Math.max(0, limit - window.requests))
    reply.header('ratelimit-reset', seconds)
    if (window.requests <= limit) return done()
    throw apiError('RATE_LIMITED', { limit, window: `${perMs / 1000} s`, seconds }, { 'retry-after': String(seconds) })
  })
}

/** The window that is open for a key; it opens with the first request after the last one has closed, or after the clock was set back. */
function windowOf(windows: Map<string, Window>, key: string, { now, perMs }: { readonly now: number; readonly perMs: number }): Window {
  const last = windows.get(key)
  if (last && now >= last.startedAt && now < last.startedAt + perMs) return last
  const window = { startedAt: now, requests: 0 }
  windows.set(key, window)
  return window
}
