import { calendarWindow, dateEnd, dateStart } from '../calendar/presets.ts'
import { isUtc, utc, type Zone } from '../calendar/zone.ts'
import { apiError } from '../errors.ts'
import type { Window } from '../store/store.ts'
import type { Edge } from './edge.ts'
import { presetWindow, type QuickRange } from './quick-range.ts'
import { resolveWindow } from './resolve-window.ts'

export type WindowRequest = {
  readonly quickRange: QuickRange
  readonly from: Edge | null
  readonly to: Edge | null
  /** Null where none was asked for: then it is UTC. */
  readonly timezone: Zone | null
}

/** The window that is asked for: from and to before the preset. */
export function chooseWindow({ timezone, ...asked }: WindowRequest, now: number): Window {
  const zone = timezone ?? utc
  const window = resolveWindow(asked, now, {
    dateEdge: (date, side) => edgeInstant({ date }, side, zone),
    rangeWindow: (range) => (isUtc(zone) ? presetWindow(range, now) : calendarWindow(range, now, zone)),
  })
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
