import { dayMs } from '../time.ts'
import { localDays } from './local-days.ts'
import { type RepeatedMaintenance, repetitions } from './repetition.ts'
import { clipSpan, mergeSpans, type Span, touches, type Window } from './window.ts'
import type { Zone } from './zone.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Weekday = (typeof weekdays)[number]

export const ordinals = ['first', 'second', 'third', 'fourth', 'last'] as const
export type OrdinalWeekday = { readonly ordinal: (typeof ordinals)[number]; readonly weekday: Weekday }

/** The days on which something recurs. Months without a day 29, 30 or 31 are skipped. */
export type Recurrence =
  | { readonly every: 'day' }
  | { readonly every: 'week'; readonly on: readonly Weekday[] }
  | { readonly every: 'month'; readonly on: number | OrdinalWeekday }

/** Starts at a local clock time, in minutes after midnight, and lasts a number of elapsed milliseconds. */
export type RecurringMaintenance = Recurrence & { readonly atMinutes: number; readonly forMs: number; readonly zone: Zone }

/** One-off or recurring. */
export type Maintenance = Span | RecurringMaintenance | RepeatedMaintenance

/** From one local clock time to another, on the next day if `toMinutes` is not later. `toMinutes` may be 1440. */
export type ServiceHours = {
  readonly days: readonly Weekday[]
  readonly fromMinutes: number
  readonly toMinutes: number
  readonly zone: Zone
}

/** The occurrences of a maintenance that touch a window, not clipped to it; ascending. */
export function occurrences(maintenance: Maintenance, window: Window): readonly Span[] {
  return timesNear(maintenance, window).filter((interval) => touches(interval, window))
}

function timesNear(maintenance: Maintenance, window: Window): readonly Span[] {
  if ('every' in maintenance) return recurrences(maintenance, window)
  if ('repeat' in maintenance) return repetitions(maintenance, window)
  return [{ from: maintenance.from, to: maintenance.to }]
}

/** The time in a window that is covered by any of these maintenances, merged. */
export function maintenanceIntervals(all: readonly Maintenance[], window: Window): readonly Span[] {
  const whole = all.flatMap((maintenance) => occurrences(maintenance, window))
  return mergeSpans(whole.map((span) => clipSpan(span, window)))
}

/** The time in a window that is covered by service hours, merged. */
export function serviceIntervals({ days, fromMinutes, toMinutes, zone }: ServiceHours, window: Window): readonly Span[] {
  const recurrence: Recurrence = { every: 'week', on: days }
  const all = localDays(zone, { from: window.from - 2 * dayMs, to: window.to })
  const hours = all.flatMap((day, i) => {
    const endDay = toMinutes > fromMinutes ? day : all[i + 1]
    return endDay && recursOn(recurrence, day.date) ? [{ from: day.at(fromMinutes), to: endDay.at(toMinutes) }] : []
  })
  return mergeSpans(hours.map((span) => clipSpan(span, window)))
}

function recurrences(maintenance: RecurringMaintenance, { from, to }: Window): readonly Span[] {
  const { atMinutes, forMs, zone } = maintenance
  const days = localDays(zone, { from: from - forMs - 2 * dayMs, to })
  const starts = days.filter(({ date }) => recursOn(maintenance, date)).map((day) => day.at(atMinutes))
  return starts.map((start) => ({ from: start, to: start + forMs }))
}

function recursOn(recurrence: Recurrence, date: Date): boolean {
  switch (recurrence.every) {
    case 'day':
      return true
    case 'week':
      return recurrence.on.includes(weekdayOf(date))
    case 'month':
      return typeof recurrence.on === 'number' ? date.getUTCDate() === recurrence.on : isOrdinal(recurrence.on, date)
  }
}

function isOrdinal({ ordinal, weekday }: OrdinalWeekday, date: Date): boolean {
  if (weekdayOf(date) !== weekday) return false
  if (ordinal === 'last') return new Date(date.getTime() + 7 * dayMs).getUTCDate() <= 7
  return Math.ceil(date.getUTCDate() / 7) === ordinals.indexOf(ordinal) + 1
}

const weekdayOf = (date: Date) => weekdays[(date.getUTCDay() + 6) % 7] as Weekday
