import { dayMs } from '../time.ts'
import { temporal } from './temporal.ts'
import { isUtc, type Zone } from './zone.ts'

/** The same local time some weeks later, or earlier where `weeks` is negative. */
export function shiftWeeks(instant: number, weeks: number, zone: Zone): number {
  if (isUtc(zone)) return instant + weeks * 7 * dayMs
  return temporal().Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone.name).add({ weeks }).epochMilliseconds
}
