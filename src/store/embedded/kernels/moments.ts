export type Moments = { readonly sum: number; readonly avg: number; readonly min: number; readonly max: number }

/** Sum, mean and extremes in one pass, by compensated summation, so that the sum of many small numbers does not drift. */
export function moments(values: Float64Array): Moments {
  let sum = 0
  let lost = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    const next = sum + value
    const grown = next - sum
    lost += sum - (next - grown) + (value - grown)
    sum = next
    if (value < min) min = value
    if (value > max) max = value
  }
  const total = sum + lost
  return { sum: total, avg: Math.min(max, Math.max(min, total / values.length)), min, max }
}

/** The population's standard deviation about a mean already known; exact enough however large the mean is. */
export function deviation(values: Float64Array, { avg, min, max }: Moments): number {
  if (min === max) return 0
  let squares = 0
  let lost = 0
  let drift = 0
  for (let i = 0; i < values.length; i++) {
    const off = (values[i] as number) - avg
    const square = off * off
    const next = squares + square
    lost += square - (next - squares)
    squares = next
    drift += off
  }
  return Math.sqrt(Math.max(0, squares + lost - (drift * drift) / values.length) / values.length)
}
