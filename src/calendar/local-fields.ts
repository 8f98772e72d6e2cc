const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Whole weeks, added so that local times around 1970 are not negative, plus three days: 1970-01-01 was a Thursday. */
const shiftMs = 1000 * 7 * dayMs + 3 * dayMs

/** From `starts[i]` on, local time is UTC plus `offsetsMs[i]`, until the next start. The first segment may start later than it really did. */
export type OffsetSegments = { readonly starts: Float64Array; readonly offsetsMs: Int32Array }

type Field = Uint8Array | Int32Array

/** The local hour, 0 to 23, of each of ascending times. */
export function fillHourOfDay(times: Float64Array, segments: OffsetSegments, into: Field): void {
  eachSegment(times, segments, (start, end, offsetMs) => {
    for (let row = start; row < end; row++) into[row] = whole(((times[row] as number) + offsetMs + shiftMs) / hourMs) % 24
  })
}

/** The local day of the week, 1 (Monday) to 7, of each of ascending times. */
export function fillDayOfWeek(times: Float64Array, segments: OffsetSegments, into: Field): void {
  eachSegment(times, segments, (start, end, offsetMs) => {
    for (let row = start; row < end; row++) into[row] = (whole(((times[row] as number) + offsetMs + shiftMs) / dayMs) % 7) + 1
  })
}

/** As an int, whose remainder is far quicker than that of a double. */
const whole = (positive: number) => positive | 0

type Visit = (startRow: number, endRow: number, offsetMs: number) => void

function eachSegment(times: Float64Array, { starts, offsetsMs }: OffsetSegments, visit: Visit): void {
  let row = 0
  for (let segment = 0; segment < starts.length && row < times.length; segment++) {
    const end = firstNotBefore(times, starts[segment + 1] ?? Infinity, row)
    visit(row, end, offsetsMs[segment] as number)
    row = end
  }
}

function firstNotBefore(times: Float64Array, time: number, from: number): number {
  let low = from
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((times[middle] as number) < time) low = middle + 1
    else high = middle
  }
  return low
}
