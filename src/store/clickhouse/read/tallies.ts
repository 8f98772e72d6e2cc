import { type RunTotals, tallyAt } from '../../kernels/run-totals.ts'

/** Counts of a check's results, by location. */
export type Tallies = ReadonlyMap<string, RunTotals>

export const noTallies: Tallies = new Map()

/** Adds tallies to sums; −1 subtracts them. */
export function addTallies(sums: Map<string, RunTotals>, tallies: Tallies, sign: 1 | -1 = 1): Map<string, RunTotals> {
  for (const [location, { passed, degraded, failed, retries, durationMicros, buckets }] of tallies) {
    const sum = tallyAt(sums, location)
    sum.passed += sign * passed
    sum.degraded += sign * degraded
    sum.failed += sign * failed
    sum.retries += sign * retries
    sum.durationMicros += sign * durationMicros
    for (const [i, own] of buckets.entries()) sum.buckets[i] = (sum.buckets[i] ?? 0) + sign * own
  }
  return sums
}

export const resultsIn = (tallies: Tallies) =>
  [...tallies.values()].reduce((sum, { passed, degraded, failed }) => sum + passed + degraded + failed, 0)
