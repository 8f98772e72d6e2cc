import { hourMs } from '../../time.ts'
import { wallTime } from './zone-calendar.ts'

/** The current zone: chosen, or named in the URL. Null means the zone of this computer. */
let shown: string | null = null
let own = { offset: Number.NaN, name: 'UTC' }

/** Replacements for zones that the server does not know: its zone list may be older than the browser's. */
const replacements = new Map<string, string>()
const replaced = (zone: string) => replacements.get(zone) ?? zone

/** The zone for displayed times and days. The server knows it as well. */
export function readerZone(): string {
  return replaced(replaced(wantedZone()))
}

function wantedZone(): string {
  return shown ?? ownZone()
}

/** The wanted zone if the server does not know it; otherwise null. */
export function refusedZone(): string | null {
  return replacements.size > 0 && replacements.has(wantedZone()) ? wantedZone() : null
}

/** Records that the server does not know a zone. */
export function refuseZone(zone: string): void {
  if (isZone(zone)) replacements.set(zone, offsetZone(zone, Date.now()))
}

/**
 * A fixed-offset zone with the current offset of another zone. UTC if the offset is not in whole hours, or if the result is the same zone.
 */
function offsetZone(zone: string, now: number): string {
  const hours = (wallTime(now, zone) - now) / hourMs
  // These zone names have the sign of POSIX, which is opposite to all others.
  const name = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
  return Number.isInteger(hours) && hours !== 0 && name !== zone ? name : 'UTC'
}

/** Sets the zone of displayed times; null for the zone of this computer. */
export function showZone(zone: string | null): void {
  shown = zone
}

/** The zone of this computer, which may change while a tab is open. */
export function ownZone(): string {
  const offset = new Date().getTimezoneOffset()
  if (offset !== own.offset) own = { offset, name: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC' }
  return own.name
}

/** Whether the browser knows a zone with this name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return !/^[+-]/.test(name)
  } catch {
    return false
  }
}
