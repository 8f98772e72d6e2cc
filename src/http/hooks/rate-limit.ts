import { type LruCache, lruCache } from '../../cache/cache.ts'
import { type ApiError, apiError } from '../../errors.ts'
import type { Caller, Deps } from '../route.ts'

/** Only keys of the config file are counted, so eviction takes windows of keys that were deleted. */
const maxKeys = 100_000

type RequestWindow = { readonly startedAt: number; requests: number }

/** Counts a request of a caller: the headers of its answer, and the error where the limit is exceeded. */
export type RateLimit = (caller: Caller) => {
  readonly headers: RateHeaders
  readonly exceeded: ApiError | null
}
type RateHeaders = Readonly<Record<'ratelimit-limit' | 'ratelimit-remaining' | 'ratelimit-reset', number>>

/** Fixed windows per key; the limit is the one that the config file has now. */
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

/** Counts requests by any key, in fixed windows: how many there were, until when, and the error where the limit is exceeded. */
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

/** The open window of a key; a new one opens with the first request after the last one ended, or after the clock was set back. */
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
