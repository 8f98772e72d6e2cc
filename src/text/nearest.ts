import { distance } from 'fastest-levenshtein'

/** In characters. None of our names is longer, and the time for edit distance grows with the length. */
const maxLength = 64

/** The candidates closest to a misspelled name by edit distance, best first. Only the beginning of a long name is compared. */
export function nearest(name: string, candidates: readonly string[], limit = 3): readonly string[] {
  const wanted = comparable(name)
  return candidates
    .map((candidate) => ({ candidate, far: distance(wanted, comparable(candidate)) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, limit)
    .map(({ candidate }) => candidate)
}

/** The nearest candidates that `name` may be a misspelling of: at most two letters in five differ. Empty if none is that close. */
export function similar(name: string, candidates: readonly string[], limit = 3): readonly string[] {
  const wanted = comparable(name)
  return nearest(name, candidates, limit).filter((candidate) => {
    const known = comparable(candidate)
    return distance(wanted, known) <= 0.4 * Math.max(wanted.length, known.length)
  })
}

const comparable = (text: string) => text.slice(0, maxLength).toLowerCase()
