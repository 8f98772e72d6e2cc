import type { Numbers } from './numbers.ts'

/** Counts the values in each bucket: up to and including each of the ascending bounds, and above the last. */
export function histogramCounts(values: Numbers, bounds: readonly number[]): number[] {
  const scale = values instanceof Int32Array ? 1000 : 1
  const counts = new Array<number>(bounds.length + 1).fill(0)
  for (let i = 0; i < values.length; i++) {
    const bucket = bucketOf((values[i] as number) / scale, bounds)
    counts[bucket] = (counts[bucket] as number) + 1
  }
  return counts
}

/** Bounds of the series 1, 2, 5, 10, 20, 50, … from the last at or below the smallest value to the first at or above the largest. */
export function boundsFor(slots: readonly Numbers[]): readonly number[] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const values of slots) {
    const scale = values instanceof Int32Array ? 1000 : 1
    for (let i = 0; i < values.length; i++) {
      const value = (values[i] as number) / scale
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  if (min > max) return []
  return [...(min <= 0 ? [0] : []), ...series(Math.max(min, max / 1e6), max)]
}

function series(min: number, max: number): readonly number[] {
  if (max <= 0) return []
  const bounds: number[] = []
  for (let exponent = Math.floor(Math.log10(min)); bounds.length === 0 || (bounds.at(-1) as number) < max; exponent++) {
    for (const step of [1, 2, 5]) if ((bounds.at(-1) ?? 0) < max) bounds.push(Number(`${step}e${exponent}`))
  }
  const first = bounds.findLastIndex((bound) => bound <= min)
  return bounds.slice(Math.max(0, first))
}

export function bucketOf(value: number, bounds: readonly number[]): number {
  let low = 0
  let high = bounds.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((bounds[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
