import type { AggregateAnswer, AggregateQuery, Source } from '../store.ts'
import { compareGroupKeys } from './groups.ts'
import { pageOf } from './page-of.ts'

/** Sources that are answered in one call to a worker: fewer would cost more calls, more would keep other workers idle. */
const sourcesPerCall = 10

/**
 * Queries over some of the sources each, which workers can answer side by side. Only where no group spans two of them: then the groups of
 * the parts are those of the whole.
 */
export function splitBySource(query: AggregateQuery): readonly AggregateQuery[] {
  const { sources, histogram } = query
  if (sources.length <= sourcesPerCall || !hasOwnGroups(query) || (histogram && !histogram.bounds)) return [query]
  const parts: Source[][] = []
  for (let from = 0; from < sources.length; from += sourcesPerCall) parts.push(sources.slice(from, from + sourcesPerCall))
  return parts.map((part) => ({ ...query, sources: part, groupPage: null }))
}

export function mergeAnswers({ groupPage }: AggregateQuery, answers: readonly AggregateAnswer[]): AggregateAnswer {
  const [only] = answers
  if (answers.length === 1 && only) return only
  const groups = answers.flatMap((answer) => answer.groups).sort((a, b) => compareGroupKeys(a.keys, b.keys))
  const results = answers.reduce((sum, answer) => sum + answer.results, 0)
  return { groups: pageOf(groups, groupPage), results, bounds: only?.bounds ?? [] }
}

/** Whether some label tells every source from every other. */
function hasOwnGroups({ sources }: AggregateQuery): boolean {
  const labels = sources[0]?.labels ?? []
  return labels.some((_, i) => {
    const keys = sources.flatMap((source) => source.labels[i] ?? [])
    return keys.length === sources.length && new Set(keys).size === sources.length
  })
}
