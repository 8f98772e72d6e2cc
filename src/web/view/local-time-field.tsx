import { readerZone } from '../state/zone.ts'
import { instantOfWallTime, wallTime } from '../state/zone-calendar.ts'

type LocalTimeFieldProps = { readonly id: string; readonly value: string; onChange(value: string): void }

/** A time in the zone of the reader, to the minute. */
export function LocalTimeField({ id, value, onChange }: LocalTimeFieldProps) {
  return (
    <input
      id={id}
      type="datetime-local"
      step={60}
      required
      value={value}
      title={Number.isFinite(fieldInstant(value)) ? new Date(fieldInstant(value)).toISOString() : ''}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function fieldTime(at: number): string {
  return new Date(wallTime(at, readerZone())).toISOString().slice(0, 16)
}

/** NaN while the value is not complete. */
export function fieldInstant(value: string): number {
  const wall = Date.parse(`${value}Z`)
  return Number.isFinite(wall) ? instantOfWallTime(wall, readerZone()) : Number.NaN
}
