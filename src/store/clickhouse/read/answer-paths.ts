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
  /** Questions that read more values are not answered from the cache of a reader. */
  readonly maxCachedCost?: number | undefined
  readonly monotonic?: () => number
}

/**
 * Nearly all of what a reader caches. A quarter would be a fairer limit for each, but then p95 of 30 days of 20 checks, 7.8 million values, was
 * summarized, which takes the server several times as long. What one account may take from another is limited by the cache itself.
 */
const defaultMaxCachedCost = 8_000_000
const maxNoted = 50_000
const uncacheableMs = 10 * minuteMs

/** What fits into the cache is answered from it, and the server summarizes the rest where that is exact. */
export function createAnswerPaths({
  count,
  maxCachedCost = defaultMaxCachedCost,
  monotonic = () => performance.now(),
}: PathsOptions): AnswerPaths {
  /** Until when a check counts as such. */
  const uncacheable = lruCache<string, number>(maxNoted)
  const isUncacheable = ({ check }: CheckSource) => (uncacheable.get(checkKey(check)) ?? Number.NEGATIVE_INFINITY) > monotonic()
  /** Checks whose results were found the last time. */
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
