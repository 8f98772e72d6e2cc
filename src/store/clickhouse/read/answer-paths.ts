import { lruCache } from '../../../cache/cache.ts'
import { checkKey } from '../../../ids/check-ref.ts'
import { minuteMs } from '../../../time.ts'
import { aggregateCost, type CountResults } from '../../admission/cost.ts'
import type { AnswerPaths } from '../../questions/questions.ts'
import type { CheckSource } from '../../store.ts'
import { isCached } from './day-cache.ts'
import { isSummarized } from './summaries.ts'

type PathsOptions = {
  readonly count: CountResults
  /** Questions that read more values do not fit into the cache of a reader. */
  readonly maxCachedCost?: number | undefined
  readonly monotonic?: () => number
}

const defaultMaxCachedCost = 8_000_000
const maxUncacheable = 50_000
const uncacheableMs = 10 * minuteMs

/** What fits into the cache is answered from it, and the server summarizes the rest where that is exact. */
export function createAnswerPaths({
  count,
  maxCachedCost = defaultMaxCachedCost,
  monotonic = () => performance.now(),
}: PathsOptions): AnswerPaths {
  /** Until when a check counts as such. */
  const uncacheable = lruCache<string, number>(maxUncacheable)
  const isUncacheable = ({ check }: CheckSource) => (uncacheable.get(checkKey(check)) ?? Number.NEGATIVE_INFINITY) > monotonic()

  return {
    async of(query) {
      const mayBeCached = isCached(query.window, query.sources.length) && !query.sources.some(isUncacheable)
      if (mayBeCached && (await aggregateCost(query, count)) <= maxCachedCost) return 'cached days'
      return isSummarized(query) ? 'summary' : 'columns'
    },
    noteUncacheable({ sources }) {
      for (const { check } of sources) uncacheable.set(checkKey(check), monotonic() + uncacheableMs)
    },
  }
}
