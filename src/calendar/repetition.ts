import { dayMs, minuteMs } from '../time.ts'
import { localDays } from './local-days.ts'
import { segmentAt } from './offsets.ts'
import type { CalendarUnit } from './utc-calendar.ts'
import type { Span, Window } from './window.ts'
import type { Zone } from './zone.ts'

/**
 * Repeats every `interval` units at the same local clock time, for the same duration, with no start at or after `until`. Months without a
 * day 29, 30 or 31 are skipped.
 */
export type RepeatedMaintenance = Span & { readonly repeat: Repetition; readonly zone: Zone }

type Repetition = { readonly unit: CalendarUnit; readonly interval: number; readonly until: number | null }

/** The first occurrence, regardless of `until`, and later ones that may touch a window; ascending. */
export function repetitions({ from: first, to, repeat, zone }: RepeatedMaintenance, window: Window): readonly Span[] {
  const forMs = to - first
  const local = first + segmentAt(zone, first).offsetMs
  const firstDate = Math.floor(local / dayMs) * dayMs
  const clockMs = local - firstDate
  const earliest = Math.max(first, window.from - forMs - 2 * dayMs)
  const latest = Math.min(window.to, (repeat.until ?? Infinity) - 1)
  const days = earliest > latest ? [] : localDays(zone, { from: earliest, to: latest })
  const later = days
    .filter(({ date }) => date.getTime() > firstDate && repeatsOn(repeat, new Date(firstDate), date))
    .map((day) => day.at(Math.floor(clockMs / minuteMs)) + (clockMs % minuteMs))
    .filter((start) => start <= latest)
  return [first, ...later].map((start) => ({ from: start, to: start + forMs }))
}

/** Both dates are at midnight UTC. */
function repeatsOn({ unit, interval }: Repetition, first: Date, date: Date): boolean {
  const days = (date.getTime() - first.getTime()) / dayMs
  if (unit === 'day') return days % interval === 0
  if (unit === 'week') return days % (7 * interval) === 0
  const months = (date.getUTCFullYear() - first.getUTCFullYear()) * 12 + date.getUTCMonth() - first.getUTCMonth()
  return date.getUTCDate() === first.getUTCDate() && months % interval === 0
}
