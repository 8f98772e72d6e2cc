import type { PingRhythm, Rhythm } from '../../calendar/rhythm.ts'

/** The rhythm of a check from an instant until the next regime. Before the first regime, the first one applies. */
export type Regime = Rhythm & { readonly from: number }

/** Maximum time that a result holds, in whole milliseconds. */
export function holdMs(rhythm: Rhythm): number {
  if (isPinged(rhythm)) return rhythm.periodMs + rhythm.graceMs
  return Math.floor(1.5 * rhythm.periodMs * (rhythm.parallel ? 1 : Math.max(1, rhythm.locations)))
}

/** Drops `from` of a regime. */
export function withoutStart(rhythm: Rhythm): Rhythm {
  if (isPinged(rhythm)) return { periodMs: rhythm.periodMs, graceMs: rhythm.graceMs }
  const { periodMs, locations, parallel } = rhythm
  return { periodMs, locations, parallel }
}

/** Canonical: equal rhythms have the same text. */
export const rhythmText = (rhythm: Rhythm) => JSON.stringify(withoutStart(rhythm))

export function isPinged(rhythm: Rhythm): rhythm is PingRhythm {
  return 'graceMs' in rhythm
}

/** The hold of results that start in `[from, to)`. */
export type Hold = { readonly from: number; readonly to: number; readonly ms: number }

/** The holds of ascending regimes, at least one; together they cover all time. */
export function holdsOf(regimes: readonly Regime[]): readonly [Hold, ...Hold[]] {
  const [first, ...later] = regimes.map((regime, i) => ({
    from: i === 0 ? Number.NEGATIVE_INFINITY : regime.from,
    to: regimes[i + 1]?.from ?? Number.POSITIVE_INFINITY,
    ms: holdMs(regime),
  }))
  if (first === undefined) throw new RangeError('There must be at least one regime.')
  return [first, ...later]
}
