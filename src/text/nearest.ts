import { distance } from 'fastest-levenshtein'

/** The known names most like a mistaken one, best first. */
export function nearest(name: string, known: readonly string[], most = 3): readonly string[] {
  const wanted = name.toLowerCase()
  return known
    .map((candidate) => ({ candidate, far: distance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}
