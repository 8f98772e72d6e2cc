import { hourMs } from '../../time.ts'
import type { Hour } from '../api/answers.ts'
import { readerZone } from '../state/zone.ts'
import { localStart } from '../state/zone-calendar.ts'

const hoursShown = 24

let last: { readonly now: number; readonly zone: string; readonly starts: readonly number[] } | null = null

/** The starts of the last local hours, the current one last. Cached, because all rows of a list share them. */
export function dayHourStarts(now: number): readonly number[] {
  const zone = readerZone()
  if (last?.now !== now || last.zone !== zone) last = { now, zone, starts: startsUntil(now, zone) }
  return last.starts
}

/** Hours are counted from midnight, like in the API. If clocks change by half an hour, the last hour of that day is shorter. */
function startsUntil(now: number, zone: string): readonly number[] {
  const starts = [hourStart(now, zone)]
  while (starts.length < hoursShown) starts.unshift(hourStart((starts[0] ?? now) - 1, zone))
  return starts
}

function hourStart(at: number, zone: string): number {
  const midnight = localStart('day', at, zone)
  return midnight + Math.floor((at - midnight) / hourMs) * hourMs
}

/** The hours in order; undefined if an hour has no runs. */
export function hoursOfDay(hours: readonly Hour[], now: number): readonly (Hour | undefined)[] {
  const byStart = new Map(hours.map((hour) => [Date.parse(hour.period), hour]))
  return dayHourStarts(now).map((start) => byStart.get(start))
}
