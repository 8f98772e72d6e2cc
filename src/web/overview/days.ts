import { dayMs } from '../../time.ts'
import type { Row } from '../api/answers.ts'
import { readerZone } from '../state/zone.ts'
import { localDate, startOfLocalDate } from '../state/zone-calendar.ts'

/** A day in the reader's time zone, with its total and successful runs. */
export type Day = { readonly from: number; readonly to: number; readonly total: number; readonly success: number }

export const daysShown = 90

/** The start of the first shown day. The last shown day is today. */
export function firstDay(now: number): number {
  return dayStart(now, 1 - daysShown)
}

/** The last ninety days in order, each with the row that starts at the same time. */
export function daysOf(rows: readonly Row[], now: number): Day[] {
  const byStart = new Map(rows.map((row) => [Date.parse(String(row.period)), row]))
  return Array.from({ length: daysShown }, (_, index) => {
    const from = dayStart(now, index + 1 - daysShown)
    const row = byStart.get(from)
    return { from, to: dayStart(now, index + 2 - daysShown) - 1, total: Number(row?.total ?? 0), success: Number(row?.success ?? 0) }
  })
}

/** Midnight in the reader's zone, `days` after the day of an instant. Handles days of 23 or 25 hours. */
export function dayStart(at: number, days: number): number {
  return startOfLocalDate(localDate(at, readerZone()) + days * dayMs, readerZone())
}
