import { hourMs } from '../../time.ts'
import { wallTime } from './zone-calendar.ts'

/** What is shown at the moment: a zone that was chosen or that the URL names, or null for that of this computer. */
let shown: string | null = null
let own = { offset: Number.NaN, name: 'UTC' }

/** What is shown in place of zones that the server does not know, as its list may be older than that of the browser. */
const replacements = new Map<string, string>()
const replaced = (zone: string) => replacements.get(zone) ?? zone

/** The zone that times and days are shown in, which the server knows as well. */
export function readerZone(): string {
  return replaced(replaced(wantedZone()))
}

function wantedZone(): string {
  return shown ?? ownZone()
}

/** The zone that should be shown, where the server does not know it; otherwise null. */
export function refusedZone(): string | null {
  return replacements.size > 0 && replacements.has(wantedZone()) ? wantedZone() : null
}

/** Notes that the server does not know a zone. */
export function refuseZone(zone: string): void {
  if (isZone(zone)) replacements.set(zone, offsetZone(zone, Date.now()))
}

/** The zone of the offset that another one has now; UTC where that is not of whole hours, or the same zone. */
function offsetZone(zone: string, now: number): string {
  const hours = (wallTime(now, zone) - now) / hourMs
  // The names of these zones have the sign of POSIX, which is the opposite of all others.
  const name = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`
  return Number.isInteger(hours) && hours !== 0 && name !== zone ? name : 'UTC'
}

/** Shows times in a zone, or with null in that of this computer. */
export function showZone(zone: string | null): void {
  shown = zone
}

/** The zone of this computer, which may travel while a tab is open. */
export function ownZone(): string {
  const offset = new Date().getTimezoneOffset()
  if (offset !== own.offset) own = { offset, name: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC' }
  return own.name
}

/** Whether the browser knows a zone by that name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return !/^[+-]/.test(name)
  } catch {
    return false
  }
}
