import { findZone, type Zone } from '../../src/calendar/zone.ts'

export function zoneOf(name: string): Zone {
  const zone = findZone(name)
  if (!zone) throw new Error(`There is no zone ${name}`)
  return zone
}
