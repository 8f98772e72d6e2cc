// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../../../test/support/tries.ts'
import { confidenceRanks } from './confidence.ts'

const fractions = [0.5, 0.9, 0.95, 0.99]

/** P(at most `k` of `count`), by Pascal's triangle. */
function binomialCdf(count: number, fraction: number, k: number): number {
  let row = [1]
  for (let n = 0; n < count; n++) {
    row = Array.from({ length: n + 2 }, (_, i) => (row[i] ?? 0) * (1 - fraction) + (row[i - 1] ?? 0) * fraction)
  }
  return row.slice(0, k + 1).reduce((sum, p) => sum + p, 0)
}

describe('the ranks of a confidence interval', () => {
  test('are the closest with at most half of the remaining probability on each side', () => {
    const counts = fc.integer({ min: 1, max: 120 })
    fc.assert(
      fc.property(counts, fc.constantFrom(...fractions), fc.constantFrom(0.8, 0.95, 0.99), (count, fraction, confidence) => {
        const { low, high } = confidenceRanks(count, fraction, confidence)
        const tail = (1 - confidence) / 2
        const cdf = (k: number) => binomialCdf(count, fraction, k)
        if (low !== null) expect(cdf(low)).toBeLessThanOrEqual(tail + 1e-12)
        if (low === null || low + 1 < count) expect(cdf((low ?? -1) + 1)).toBeGreaterThan(tail - 1e-12)
        if (high !== null) expect(cdf(high)).toBeGreaterThanOrEqual(1 - tail - 1e-12)
        else expect(cdf(count - 1)).toBeLessThan(1 - tail + 1e-12)
        if (high !== null && high > 0) expect(cdf(high - 1)).toBeLessThan(1 - tail + 1e-12)
      }),
      { numRuns: triesOf(300) },
    )
  })

  test('are null with too few values', () => {
    expect(confidenceRanks(1, 0.5, 0.95)).toEqual({ low: null, high: null })
    expect(confidenceRanks(5, 0.5, 0.95)).toEqual({ low: null, high: null })
    expect(confidenceRanks(6, 0.5, 0.95)).toEqual({ low: 0, high: 5 })
    expect(confidenceRanks(100, 0.99, 0.95)).toMatchObject({ high: null })
  })

  test.each([
    [1, 0.95, 0.9],
    [1, 0.9, 0.8],
    [1, 0.99, 0.98],
    [2, 0.9, 0.98],
  ])(
    'of %i values at %d include the lowest, with exactly half of the remaining probability of %d below it',
    (count, fraction, confidence) => {
      expect(confidenceRanks(count, fraction, confidence).low).toBe(0)
    },
  )

  test('of millions of values match the normal approximation', () => {
    const count = 13_000_000
    const { low, high } = confidenceRanks(count, 0.95, 0.95)
    const spread = 1.959964 * Math.sqrt(count * 0.95 * 0.05)
    expect(Math.abs((low ?? 0) - (0.95 * count - spread))).toBeLessThan(5)
    expect(Math.abs((high ?? 0) - (0.95 * count + spread))).toBeLessThan(5)
  })
})

test('intervals cover the true quantile as often as stated, whatever the distribution', () => {
  const random = mulberry32(7)
  const distributions: readonly ((u: number) => number)[] = [(u) => u, (u) => -Math.log(1 - u), (u) => 1 / (1 - u) ** 2]
  const [count, rounds] = [200, 2000]
  for (const quantileOf of distributions)
    for (const fraction of [0.5, 0.9]) {
      const truth = quantileOf(fraction)
      const { low, high } = confidenceRanks(count, fraction, 0.95)
      let covered = 0
      for (let round = 0; round < rounds; round++) {
        const sample = Float64Array.from({ length: count }, () => quantileOf(random())).sort()
        if ((sample[low ?? 0] as number) <= truth && truth <= (sample[high ?? count - 1] as number)) covered++
      }
      expect(covered / rounds).toBeGreaterThan(0.94)
      expect(covered / rounds).toBeLessThan(0.99)
    }
})

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
