import { lruCache } from '../../../cache/cache.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { minuteMs } from '../../../time.ts'
import { aggregateCost, type CountResults, summaryCost } from '../../admission/cost.ts'
import type { AnswerPaths } from '../../questions/questions.ts'
import type { CheckSource } from '../../store.ts'
import { isCached } from './day-cache.ts'
import { isSummarized } from './summaries.ts'

type PathsOptions = {
  readonly count: CountResults
  /** Questions that read more values bypass the cache of a reader. */
  readonly maxCachedCost?: number | undefined
  readonly monotonic?: () => number
}

/**
 * Nearly the whole cache of a reader. A quarter would be a fairer share, but then p95 over 30 days of 20 checks, 7.8 million values, was
 * summarized, which takes the server several times as long. The cache itself limits what one account can evict of another's.
 */
const defaultMaxCachedCost = 8_000_000
const maxNoted = 50_000
const uncacheableMs = 10 * minuteMs

/** Questions that fit into the cache are answered from it; the server summarizes the others where that is exact. */
export function createAnswerPaths({
  count,
  maxCachedCost = defaultMaxCachedCost,
  monotonic = () => performance.now(),
}: PathsOptions): AnswerPaths {
  /** By check: until when it counts as uncacheable. */
  const uncacheable = lruCache<string, number>(maxNoted)
  const isUncacheable = ({ check }: CheckSource) => (uncacheable.get(checkKey(check)) ?? Number.NEGATIVE_INFINITY) > monotonic()
  /** Checks that the last question found in the cache. */
  const warm = lruCache<string, true>(maxNoted)

  return {
    async of(query) {
      if (isCached(query.window, query.sources.length)) {
        const sources = query.sources.filter(isUncacheable)
        const [cost, costOfUncacheable] = await Promise.all([aggregateCost(query, count), aggregateCost({ ...query, sources }, count)])
        if (cost <= maxCachedCost && costOfUncacheable <= cost / 2) return 'cached days'
      }
      return isSummarized(query) ? 'summary' : 'columns'
    },
    cachedCost: (query) => (query.sources.every(({ check }) => warm.get(checkKey(check))) ? summaryCost : aggregateCost)(query, count),
    noteCached(sources, answer) {
      for (const i of answer.uncacheable ?? []) if (sources[i]) uncacheable.set(checkKey(sources[i].check), monotonic() + uncacheableMs)
      for (const { check } of sources)
        if (answer.isRead) warm.delete(checkKey(check))
        else warm.set(checkKey(check), true)
    },
  }
}
