import { calendarRanges, calendarWindow, dateEnd, dateStart } from '../calendar/presets.ts'
import { isUtc, utc, type Zone } from '../calendar/zone.ts'
import { apiError } from '../errors.ts'
import type { Window } from '../store/store.ts'
import { dayMs, parseEpoch, parseInstant } from '../time.ts'
import { presetWindow, type QuickRange } from './quick-range.ts'

/** An end of a window as a client writes it: an instant, or a date, which is a day of the zone that the window is in. */
export type Edge = number | { readonly date: string }

export type WindowRequest = {
  readonly quickRange: QuickRange
  readonly from: Edge | null
  readonly to: Edge | null
  /** Null where none was asked for: then it is UTC. */
  readonly timezone: Zone | null
}

/** The window that is asked for: from and to before the preset. */
export function chooseWindow({ quickRange, from, to, timezone }: WindowRequest, now: number): Window {
  const zone = timezone ?? utc
  if (from === null && to === null) return zonedPreset(quickRange, now, zone)
  const end = to === null ? now : edgeInstant(to, 'to', zone)
  const window = { from: from === null ? Math.max(0, end - dayMs) : edgeInstant(from, 'from', zone), to: end }
  if (window.from > window.to) throw apiError('INVALID_WINDOW')
  return window
}

/** The instant of an edge. A date is its first millisecond, or as `to` its last. */
export function edgeInstant(edge: Edge, side: 'from' | 'to', zone: Zone): number {
  if (typeof edge === 'number') return edge
  const instant = side === 'from' ? dateStart(edge.date, zone) : dateEnd(edge.date, zone)
  if (instant === undefined) throw new RangeError(`${edge.date} is no date`)
  return instant
}

/** An edge as clients write it; undefined for anything else, such as 30 February. */
export function parseEdge(text: string): Edge | undefined {
  return parseEpoch(text) ?? parseDate(text) ?? parseInstant(withPlus(text))
}

function parseDate(text: string): Edge | undefined {
  return dateStart(text, utc) === undefined ? undefined : { date: text }
}

/** A blank before an offset is a plus that was not escaped in the address. */
function withPlus(text: string): string {
  return text.replace(/ (?=[0-9]{2}(:?[0-9]{2})?$)/, '+')
}

function zonedPreset(range: QuickRange, now: number, zone: Zone): Window {
  const calendarRange = isUtc(zone) ? undefined : calendarRanges.find((candidate) => candidate === range)
  return calendarRange ? calendarWindow(calendarRange, now, zone) : presetWindow(range, now)
}
