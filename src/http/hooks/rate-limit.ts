import { type LruCache, lruCache } from '../../cache/cache.ts'
import { type ApiError, apiError } from '../../errors.ts'
import type { Caller, Deps } from '../route.ts'

/** Only known keys are counted, never arbitrary input, so eviction removes windows of deleted keys. */
const maxKeys = 100_000

type RequestWindow = { readonly startedAt: number; requests: number }

export type RateLimit = (caller: Caller) => {
  readonly headers: RateHeaders
  readonly exceeded: ApiError | null
}
type RateHeaders = Readonly<Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', number>>

/** Fixed windows per key; the limit is read from the current config for each request. */
export function createRateLimit({ catalogue, clock }: Pick<Deps, 'catalogue' | 'clock'>): RateLimit {
  const count = createRequestCounter(clock)
  return ({ key }) => {
    const { requests: limit, perMs } = catalogue.service().rateLimit
    const { requests, seconds, exceeded } = count(key.hash, limit, perMs)
    return {
      headers: { 'ratelimit-limit': limit, 'ratelimit-remaining': Math.max(0, limit - requests), 'ratelimit-reset': seconds },
      exceeded,
    }
  }
}

/** Fixed windows per arbitrary key. Returns the count, the seconds until the window ends, and an error if the limit is exceeded. */
export function createRequestCounter({ now: clock }: Deps['clock']) {
  const windows = lruCache<string, RequestWindow>(maxKeys)
  return (key: string, limit: number, perMs: number) => {
    const now = clock()
    const window = windowOf(windows, key, { now, perMs })
    const seconds = Math.ceil((window.startedAt + perMs - now) / 1000)
    window.requests++
    return { requests: window.requests, seconds, exceeded: window.requests <= limit ? null : rateLimited(limit, perMs, seconds) }
  }
}

const rateLimited = (limit: number, perMs: number, seconds: number) =>
  apiError('RATE_LIMITED', { limit, window: `${perMs / 1000} s`, seconds }, { 'retry-after': String(seconds) })

/** A new window starts with the first request after the last one ended, or after the clock was set back. */
function windowOf(
  windows: LruCache<string, RequestWindow>,
  key: string,
  { now, perMs }: { readonly now: number; readonly perMs: number },
): RequestWindow {
  const last = windows.get(key)
  if (last && now >= last.startedAt && now < last.startedAt + perMs) return last
  const window = { startedAt: now, requests: 0 }
  windows.set(key, window)
  return window
}
