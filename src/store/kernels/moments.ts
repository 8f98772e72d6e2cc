import type { Numbers } from './numbers.ts'

type Moments = { readonly sum: number; readonly avg: number; readonly min: number; readonly max: number }

/** Number of values that are summed without compensation, which is exact for integers; the sums of these blocks are added with it. */
const blockOf = (values: Numbers) => (values instanceof Int32Array ? 128 : 1)

/** Sum, mean and extremes in one pass, each divided by `scale`. */
export function moments(values: Numbers, scale = 1): Moments {
  const total = exactSum()
  const block = blockOf(values)
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let from = 0; from < values.length; from += block) {
    const to = Math.min(values.length, from + block)
    let sum = 0
    for (let i = from; i < to; i++) {
      const value = values[i] as number
      sum += value
      if (value < min) min = value
      if (value > max) max = value
    }
    total.add(sum)
  }
  const sum = total.value() / scale
  const [least, most] = [min / scale, max / scale]
  return { sum, avg: Math.min(most, Math.max(least, sum / values.length)), min: least, max: most }
}

/** The population standard deviation, in a second pass around the mean, so that it is exact even for a large mean. */
export function deviation(values: Numbers, { avg, min, max }: Moments, scale = 1): number {
  if (min === max) return 0
  const mean = avg * scale
  const squares = exactSum()
  const block = blockOf(values)
  let drift = 0
  for (let from = 0; from < values.length; from += block) {
    const to = Math.min(values.length, from + block)
    let some = 0
    for (let i = from; i < to; i++) {
      const off = (values[i] as number) - mean
      some += off * off
      drift += off
    }
    squares.add(some)
  }
  return Math.sqrt(Math.max(0, squares.value() - (drift * drift) / values.length) / values.length) / scale
}

/** Compensated sum: rounding errors are added at the end. */
function exactSum() {
  let sum = 0
  let lost = 0
  return {
    add(value: number): void {
      const next = sum + value
      const grown = next - sum
      lost += sum - (next - grown) + (value - grown)
      sum = next
    },
    value: () => sum + lost,
  }
}
