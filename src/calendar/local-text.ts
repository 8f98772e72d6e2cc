import { isoText } from '../time.ts'
import { type OffsetSegment, segmentAt } from './offsets.ts'
import { isUtc, type Zone } from './zone.ts'

/** Cache of the last segment: consecutive calls mostly have the same zone and offset. */
let last: { readonly zone: Zone; readonly segment: OffsetSegment; readonly offset: string } | undefined

/** Local time with its offset, such as `2026-10-25T00:00:00.000+02:00`; in UTC with `Z`. */
export function localText(instant: number, zone: Zone): string {
  if (isUtc(zone)) return isoText(instant)
  if (last?.zone.name !== zone.name || instant < last.segment.start || instant >= last.segment.end) {
    const segment = segmentAt(zone, instant)
    last = { zone, segment, offset: offsetText(segment.offsetMs) }
  }
  return isoText(instant + last.segment.offsetMs).slice(0, -1) + last.offset
}

/** With seconds only if the offset has some; the last such offset ended in 1972. */
function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, ...(seconds % 60 === 0 ? [] : [seconds % 60])]
  return (offsetMs < 0 ? '-' : '+') + parts.map((part) => String(part).padStart(2, '0')).join(':')
}
