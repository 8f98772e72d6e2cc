import { dayMs } from '../time.ts'
import type { OffsetSegments } from './local-fields.ts'
import { temporal } from './temporal.ts'
import type { Window } from './window.ts'
import { isUtc, type Zone } from './zone.ts'

/** The UTC offsets of a zone throughout a window. */
export function offsetSegments(zone: Zone, { from, to }: Window): OffsetSegments {
  if (isUtc(zone)) return { starts: Float64Array.of(-Infinity), offsetsMs: Int32Array.of(0) }
  const starts: number[] = []
  const offsetsMs: number[] = []
  for (let chunk = chunkOf(from); chunk <= chunkOf(to); chunk++) {
    for (const { start, offsetMs } of chunkSegments(zone, chunk)) {
      if (offsetMs === offsetsMs.at(-1)) continue
      starts.push(start)
      offsetsMs.push(offsetMs)
    }
  }
  return { starts: Float64Array.from(starts), offsetsMs: Int32Array.from(offsetsMs) }
}

export type OffsetSegment = { readonly start: number; readonly end: number; readonly offsetMs: number }

/** A period of constant offset around an instant; its ends are not necessarily changes of the offset. */
export function segmentAt(zone: Zone, instant: number): OffsetSegment {
  if (isUtc(zone)) return { start: -Infinity, end: Infinity, offsetMs: 0 }
  const segment = chunkSegments(zone, chunkOf(instant)).findLast(({ start }) => start <= instant)
  if (!segment) throw new RangeError(`${instant} lies before its own chunk`)
  return segment
}

/** Transitions are read and memoized in chunks of ten years. */
const chunkMs = 3653 * dayMs
const mostChunks = 2000
const chunks = new Map<string, readonly OffsetSegment[]>()

const chunkOf = (instant: number) => Math.floor(instant / chunkMs)

function chunkSegments(zone: Zone, chunk: number): readonly OffsetSegment[] {
  const key = `${zone.name} ${chunk}`
  const known = chunks.get(key)
  if (known) return known
  const segments = readSegments(zone, chunk * chunkMs, (chunk + 1) * chunkMs)
  if (chunks.size >= mostChunks) chunks.clear()
  chunks.set(key, segments)
  return segments
}

function readSegments(zone: Zone, from: number, end: number): readonly OffsetSegment[] {
  const segments: OffsetSegment[] = []
  let local = temporal().Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone.name)
  while (local.epochMilliseconds < end) {
    const next = local.getTimeZoneTransition('next')
    const start = local.epochMilliseconds
    segments.push({ start, end: Math.min(next?.epochMilliseconds ?? end, end), offsetMs: local.offsetNanoseconds / 1e6 })
    if (!next) break
    local = next
  }
  return segments
}
