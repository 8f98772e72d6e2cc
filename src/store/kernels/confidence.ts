/** Ranks, from 0, of the order statistics that bound a quantile; null if no order statistic is far enough out. */
type RankInterval = { readonly low: number | null; readonly high: number | null }

/**
 * The distribution-free confidence interval of a quantile. The number of `count` independent values below the true quantile is
 * binomial(count, fraction). `low` and `high` are the closest order statistics with at most (1 − confidence) / 2 outside on each side.
 */
export function confidenceRanks(count: number, fraction: number, confidence: number): RankInterval {
  const tail = (1 - confidence) / 2
  const { first, weights, total } = binomialWeights(count, fraction)
  let below = 0
  let [low, high] = [first - 1, count]
  for (let i = 0; i < weights.length; i++) {
    below += (weights[i] as number) / total
    if (below <= tail + rounding) low = first + i
    if (below >= 1 - tail - rounding) {
      high = first + i
      break
    }
  }
  return { low: low < 0 ? null : low, high: high >= count ? null : high }
}

const negligible = 1e-18
/** Above the rounding errors of probabilities, which must not decide a tie. */
const rounding = 1e-12

/** The binomial probabilities around the mode, up to a common factor `1 / total`; the omitted rest is negligible. */
function binomialWeights(count: number, fraction: number) {
  const odds = fraction / (1 - fraction)
  const mode = Math.min(count, Math.floor((count + 1) * fraction))
  const below: number[] = []
  for (let k = mode, weight = 1; k > 0; k--) {
    weight *= k / ((count - k + 1) * odds)
    if (weight < negligible) break
    below.push(weight)
  }
  const above: number[] = []
  for (let k = mode, weight = 1; k < count; k++) {
    weight *= ((count - k) * odds) / (k + 1)
    if (weight < negligible) break
    above.push(weight)
  }
  const weights = [...below.toReversed(), 1, ...above]
  return { first: mode - below.length, weights, total: weights.reduce((sum, weight) => sum + weight, 0) }
}
