/** How a check ran from an instant on, until the next regime; before the first one, the first applies. */
export type Regime = RunRegime | PingRegime
export type RunRegime = {
  readonly from: number
  readonly periodMs: number
  /** How many locations it ran at. */
  readonly locations: number
  /** Each run at all locations; otherwise round robin, one location per run. */
  readonly parallel: boolean
}
/** Of a check that waits for pings. */
export type PingRegime = { readonly from: number; readonly periodMs: number; readonly graceMs: number }

/** How long a result holds at most, in whole milliseconds. */
export function holdMs(regime: Regime): number {
  if (isPingRegime(regime)) return regime.periodMs + regime.graceMs
  return Math.floor(1.5 * regime.periodMs * (regime.parallel ? 1 : Math.max(1, regime.locations)))
}

export function isPingRegime(regime: Regime): regime is PingRegime {
  return 'graceMs' in regime
}

/** The hold of results that start in `[from, to)`. */
export type Hold = { readonly from: number; readonly to: number; readonly ms: number }

/** The holds of ascending regimes, of which there must be one; together they cover all time. */
export function holdsOf(regimes: readonly Regime[]): readonly [Hold, ...Hold[]] {
  const [first, ...later] = regimes.map((regime, i) => ({
    from: i === 0 ? Number.NEGATIVE_INFINITY : regime.from,
    to: regimes[i + 1]?.from ?? Number.POSITIVE_INFINITY,
    ms: holdMs(regime),
  }))
  if (first === undefined) throw new RangeError('There must be at least one regime.')
  return [first, ...later]
}
