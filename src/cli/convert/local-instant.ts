import { segmentAt } from '../../calendar/offsets.ts'
import { findZone } from '../../calendar/zone.ts'
import { isoText, parseInstant } from '../../time.ts'

/** The instant of a date and a clock time such as `2026-11-20 22:00:00` in a zone, as ISO 8601; null where it is none. */
export function localInstant(text: string, zoneName: string): string | null {
  const zone = findZone(zoneName)
  const local = parseInstant(
    `${text
      .trim()
      .replace(' ', 'T')
      .replace(/(Z|[+-][0-9]{2}:?[0-9]{2})$/, '')}Z`,
  )
  if (!zone || local === undefined) return null
  const near = local - segmentAt(zone, local).offsetMs
  return isoText(local - segmentAt(zone, near).offsetMs)
}
