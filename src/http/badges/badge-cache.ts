import type { FastifyBaseLogger } from 'fastify'
import { lruCache } from '../../cache/cache.ts'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { type CheckState, checkState } from '../../store/current-state.ts'
import type { Store } from '../../store/store.ts'
import { isRecent, minuteMs } from '../../time.ts'
import type { Clock } from '../route.ts'

/** Cache of badge contents. Stale entries are served while the store is unavailable. */
type BadgeCache = {
  /** States in the order of `checks`; the last known ones if the store fails. */
  states(checks: readonly Check[]): Promise<readonly CheckState[]>
  /** Loaded at most once a minute; the last known value if the store fails or times out. A `name` must always have the same type `T`. */
  figure<T>(check: Check, name: string, load: () => Promise<T | null>): Promise<T | null>
}

type BadgeCacheOptions = {
  readonly store: Pick<Store, 'latest'>
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  /** How long a badge waits for a figure. */
  readonly timeoutMs?: number
}
type CachedFigure<T> = { readonly value: T | null; readonly loadedAt: number; readonly loading: Promise<T | null> | null }

const freshMs = minuteMs
const capacity = 20_000

export function createBadgeCache({ store, clock, log, timeoutMs = 3_000 }: BadgeCacheOptions): BadgeCache {
  const states = lruCache<string, CheckState>(capacity)
  const figures = lruCache<string, CachedFigure<unknown>>(capacity)
  let isStoreDown = false

  const refresh = <T>(key: string, stale: T | null, load: () => Promise<T | null>): Promise<T | null> => {
    const loadedAt = clock.now()
    const loading = load()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'a badge shows its last known value')
        return stale
      })
      .then((value) => {
        figures.set(key, { value, loadedAt, loading: null })
        return value
      })
    figures.set(key, { value: stale, loadedAt, loading })
    return loading
  }

  return {
    states: async (checks) => {
      try {
        const latest = await store.latest(checks.map(refOf))
        isStoreDown = false
        return checks.map((check, i) => {
          const state = checkState(check, latest[i], clock.now())
          const name = checkKey(refOf(check))
          if (states.get(name) !== state) states.set(name, state)
          return state
        })
      } catch (error) {
        if (!isStoreDown) log.warn({ err: error }, 'badges show their last known states')
        isStoreDown = true
        return checks.map((check) => (check.activated ? (states.get(checkKey(refOf(check))) ?? 'unknown') : 'paused'))
      }
    },
    figure: <T>(check: Check, name: string, load: () => Promise<T | null>) => {
      const key = `${checkKey(refOf(check))} ${name}`
      const cached = figures.get(key) as CachedFigure<T> | undefined
      const isFresh = cached !== undefined && isRecent(cached.loadedAt, freshMs, clock.now())
      if (isFresh && !cached.loading) return Promise.resolve(cached.value)
      const stale = cached?.value ?? null
      return withTimeout(timeoutMs, (isFresh && cached.loading) || refresh(key, stale, load), stale)
    },
  }
}

function withTimeout<T>(ms: number, promise: Promise<T>, fallback: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(fallback), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
