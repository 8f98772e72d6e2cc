import { hourMs } from '../../time.ts'
import type { Hour } from '../api/answers.ts'

const hoursShown = 24

/** The start of the first of the hours shown; the last one is the current hour. */
export function dayStart(now: number): number {
  return (Math.floor(now / hourMs) - hoursShown + 1) * hourMs
}

/** The hours in order; undefined where there were no runs. */
export function hoursOfDay(hours: readonly Hour[], now: number): readonly (Hour | undefined)[] {
  const byStart = new Map(hours.map((hour) => [Date.parse(hour.period), hour]))
  return Array.from({ length: hoursShown }, (_, index) => byStart.get(dayStart(now) + index * hourMs))
}
