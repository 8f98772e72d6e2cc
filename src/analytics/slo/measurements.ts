import { type PerBurnPeriod, perBurnPeriod, type SloPlan } from './window.ts'

/** The number of counted runs, or of counted milliseconds, and how many of them are good. */
export type GoodOfCounted = { readonly counted: number; readonly good: number }

/** The measurements of an `SloPlan`. Days add up to the window, so they are clipped to it. */
export type SloMeasurements = {
  /** By the start of the local day; a day without a tally has nothing counted. */
  readonly days: ReadonlyMap<number, GoodOfCounted>
  readonly burn: PerBurnPeriod<GoodOfCounted>
}

export const nothing: GoodOfCounted = { counted: 0, good: 0 }

/** The tally of each day of a plan, in its order. */
export function dailyTallies({ dayStarts }: SloPlan, { days }: SloMeasurements): readonly GoodOfCounted[] {
  return Array.from(dayStarts, (start) => days.get(start) ?? nothing)
}

/** The measurements of several checks as one: every run, or every millisecond of each check, has the same weight. */
export function pooledMeasurements(all: readonly SloMeasurements[]): SloMeasurements {
  const days = new Map<number, GoodOfCounted>()
  for (const [start, tally] of all.flatMap((one) => [...one.days])) days.set(start, sumTallies([days.get(start) ?? nothing, tally]))
  return { days, burn: perBurnPeriod((period) => sumTallies(all.map(({ burn }) => burn[period]))) }
}

export function sumTallies(tallies: readonly GoodOfCounted[]): GoodOfCounted {
  return tallies.reduce((sum, { counted, good }) => ({ counted: sum.counted + counted, good: sum.good + good }), nothing)
}
