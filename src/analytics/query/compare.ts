import { calendarRanges, windowBefore } from '../../calendar/presets.ts'
import { temporal } from '../../calendar/temporal.ts'
import { isUtc, utc, type Zone } from '../../calendar/zone.ts'
import { apiError } from '../../errors.ts'
import type { Window } from '../../store/store.ts'
import { dayMs } from '../../time.ts'
import type { AnswerRow } from '../report.ts'
import type { Edge } from '../resolve-window.ts'
import { edgeInstant, type WindowRequest } from '../window.ts'

export const comparisons = ['previousPeriod', 'sameWeekdays'] as const

/** The window to compare with: derived from the queried one, or explicit. */
export type Compare = (typeof comparisons)[number] | { readonly from: Edge; readonly to: Edge }

const weekMs = 7 * dayMs

export function comparedWindow(compare: Compare, request: WindowRequest, window: Window): Window {
  const zone = request.timezone ?? utc
  const { from, to } = window
  if (typeof compare === 'object')
    return ownWindow({ from: edgeInstant(compare.from, 'from', zone), to: edgeInstant(compare.to, 'to', zone) })
  if (compare === 'sameWeekdays') {
    const weeks = weeksBack(window, zone)
    return { from: shiftWeeks(from, -weeks, zone), to: shiftWeeks(to, -weeks, zone) }
  }
  const range = request.from === null && request.to === null ? calendarRanges.find((each) => each === request.quickRange) : undefined
  return range ? windowBefore(range, window, zone) : { from: Math.max(0, from - (to - from)), to: from }
}

function ownWindow(window: Window): Window {
  if (window.from > window.to) throw apiError('INVALID_WINDOW')
  return window
}

/** Whether a percentile has changed, by the confidence intervals of both windows; null if one of them is unknown. */
export function changeOf(name: string, current: AnswerRow, previous: AnswerRow | null): string | null {
  const [low, high] = [current[`${name}_low`], current[`${name}_high`]]
  const [previousLow, previousHigh] = [previous?.[`${name}_low`], previous?.[`${name}_high`]]
  if (typeof low !== 'number' || typeof high !== 'number') return null
  if (typeof previousLow !== 'number' || typeof previousHigh !== 'number') return null
  if (low > previousHigh) return 'higher'
  return high < previousLow ? 'lower' : 'no evidence'
}

/** The least number of weeks that moves a window before itself. Weeks in which clocks change are longer or shorter. */
function weeksBack({ from, to }: Window, zone: Zone): number {
  let weeks = Math.max(1, Math.floor((to - from) / weekMs))
  while (shiftWeeks(to, -weeks, zone) > from) weeks++
  return weeks
}

/** The same local time some weeks later, or earlier if `weeks` is negative. */
function shiftWeeks(instant: number, weeks: number, zone: Zone): number {
  if (isUtc(zone)) return instant + weeks * 7 * dayMs
  return temporal().Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone.name).add({ weeks }).epochMilliseconds
}
