import { hourMs } from '../time.ts'
import type { Stretch } from './window.ts'

const dayMs = 24 * hourMs

/** From `starts[i]` until the next start, local time is UTC plus `offsetsMs[i]`. The first segment may have begun earlier. */
export type OffsetSegments = { readonly starts: Float64Array; readonly offsetsMs: Int32Array }

/** The local hour, 0 to 23. */
export function hourOfDayAt(time: number, segments: OffsetSegments): Stretch {
  const { value, until } = unitAt(time, segments, hourMs)
  return { value: modulo(value, 24), until }
}

/** The local day of the week, 1 (Monday) to 7. */
export function dayOfWeekAt(time: number, segments: OffsetSegments): Stretch {
  const { value, until } = unitAt(time, segments, dayMs)
  // 1970-01-01 was a Thursday.
  return { value: modulo(value + 3, 7) + 1, until }
}

/** Number of local units since 1970; it may change when the offset changes. */
function unitAt(time: number, { starts, offsetsMs }: OffsetSegments, unitMs: number): Stretch {
  let segment = 0
  while (segment + 1 < starts.length && (starts[segment + 1] as number) <= time) segment++
  const offsetMs = offsetsMs[segment] as number
  const value = Math.floor((time + offsetMs) / unitMs)
  return { value, until: Math.min((value + 1) * unitMs - offsetMs, starts[segment + 1] ?? Infinity) }
}

const modulo = (value: number, by: number) => ((value % by) + by) % by
