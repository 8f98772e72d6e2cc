import { hourMs } from '../../time.ts'
import type { Hour } from '../api/answers.ts'

const hoursShown = 24

/** When the first of the hours begins that are shown beside a check; the last is the one that runs. */
export function dayStart(now: number): number {
  return (Math.floor(now / hourMs) - hoursShown + 1) * hourMs
}

/** The hours in order; undefined where a check had no runs. */
export function hoursOfDay(hours: readonly Hour[], now: number): readonly (Hour | undefined)[] {
  const known = new Map(hours.map((hour) => [Date.parse(hour.period), hour]))
  return Array.from({ length: hoursShown }, (_, index) => known.get(dayStart(now) + index * hourMs))
}
