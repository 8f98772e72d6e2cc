import type { Window } from '../calendar/window.ts'
import type { CheckRef } from '../ids/check-ref.ts'

/** A check whose results are counted. `duration` is the metric of how long a run took, null if its type has none. */
export type TotalsSource = { readonly check: CheckRef; readonly duration: string | null }
export type TotalsQuery = TotalsSource & { readonly window: Window }

/** Ascending upper bounds, inclusive, of the buckets of durations; one more bucket holds values above the last. */
export const durationBoundsMs: readonly number[] = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 120_000]

/** Totals over all results of one location. */
export type LocationTotals = {
  readonly location: string
  readonly passed: number
  readonly degraded: number
  readonly failed: number
  readonly retries: number
  /** Number of durations per bucket; one more bucket than bounds. */
  readonly buckets: readonly number[]
  /** The sum of the durations, each rounded to a whole microsecond, so that the order of results does not matter. */
  readonly durationMicros: number
}

/** Sorted by location. */
export type CheckTotals = readonly LocationTotals[]

/** Why a check has no totals: its stored results cannot be read, or are not counted yet. */
export type MissingTotals = 'damaged' | 'counting'
