import { durationBoundsMs, type LocationTotals } from '../totals.ts'
import { bucketOf } from './histogram.ts'

/** Totals that results are added to. */
export type RunTotals = { -readonly [Name in keyof Omit<LocationTotals, 'buckets'>]: LocationTotals[Name] } & { readonly buckets: number[] }

/** A run to count: its flags as `flagsOf` encodes them, and its duration, NaN if not measured. */
type CountedRun = { readonly flags: number; readonly attempts: number; readonly durationMs: number }

function emptyTally(location: string): RunTotals {
  const buckets = new Array<number>(durationBoundsMs.length + 1).fill(0)
  return { location, passed: 0, degraded: 0, failed: 0, retries: 0, buckets, durationMicros: 0 }
}

export function addRun(tally: RunTotals, { flags, attempts, durationMs }: CountedRun): void {
  tally[outcomeOf(flags)]++
  tally.retries += attempts - 1
  if (Number.isNaN(durationMs)) return
  const bucket = bucketOf(durationMs, durationBoundsMs)
  tally.buckets[bucket] = (tally.buckets[bucket] as number) + 1
  tally.durationMicros += Math.round(durationMs * 1000)
}

function outcomeOf(flags: number): 'passed' | 'degraded' | 'failed' {
  if ((flags & 1) !== 0) return 'failed'
  return (flags & 4) !== 0 ? 'degraded' : 'passed'
}

/** The tally of a location, created if missing. */
export function tallyAt(tallies: Map<string, RunTotals>, location: string): RunTotals {
  const existing = tallies.get(location)
  if (existing) return existing
  const added = emptyTally(location)
  tallies.set(location, added)
  return added
}
