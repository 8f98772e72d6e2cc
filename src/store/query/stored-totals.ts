import { addRun, type RunTotals, tallyAt } from '../kernels/run-totals.ts'
import type { LazyDay } from './parts/day.ts'
import { columnOf, type Part } from './parts/part.ts'

/** Number of stored results of a check, and their totals by location. */
export type StoredTotals = { readonly results: number; readonly byLocation: ReadonlyMap<string, RunTotals> }

export function totalsOf(days: readonly LazyDay[], duration: string | null): StoredTotals {
  const byLocation = new Map<string, RunTotals>()
  let results = 0
  for (const day of days) {
    const part = day.part()
    results += part.count
    addPart(part, duration, byLocation)
  }
  return { results, byLocation }
}

function addPart(part: Part, duration: string | null, byLocation: Map<string, RunTotals>): void {
  const [flags, attempts, { dictionary, codes }] = [part.ints('flags'), part.ints('attempts'), part.texts('location')]
  const column = duration === null ? null : columnOf({ metric: duration, perPage: false })
  const durations = column !== null && part.measured.includes(column) ? part.numbers(column) : null
  const tallies = dictionary.map((location) => tallyAt(byLocation, location))
  for (let row = 0; row < part.count; row++)
    addRun(tallies[codes[row] as number] as RunTotals, {
      flags: flags[row] as number,
      attempts: attempts[row] as number,
      durationMs: durations ? (durations[row] as number) : Number.NaN,
    })
}
