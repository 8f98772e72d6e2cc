import { distance } from 'fastest-levenshtein'

/** The candidates closest to a misspelled name by edit distance, best first. */
export function nearest(name: string, candidates: readonly string[], limit = 3): readonly string[] {
  const wanted = name.toLowerCase()
  return candidates
    .map((candidate) => ({ candidate, far: distance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

/** The nearest ones that `name` may be a misspelling of: at most two letters in five differ. None where no candidate is that close. */
export function similar(name: string, candidates: readonly string[], limit = 3): readonly string[] {
  const wanted = name.toLowerCase()
  return nearest(name, candidates, limit).filter(
    (candidate) => distance(wanted, candidate.toLowerCase()) <= 0.4 * Math.max(wanted.length, candidate.length),
  )
}
