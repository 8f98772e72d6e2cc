import { dayMs } from '../../time.ts'
import type { Row } from '../api/answers.ts'
import { readerZone } from '../state/zone.ts'
import { localDate, startOfLocalDate } from '../state/zone-calendar.ts'

/** A calendar day of the user's time zone, with how many runs it had and how many did not fail. */
export type Day = { readonly from: number; readonly to: number; readonly total: number; readonly success: number }

export const daysShown = 90

/** The start of the first day shown; the last one is today. */
export function firstDay(now: number): number {
  return dayStart(now, 1 - daysShown)
}

/** The last ninety days in order, each with the row that starts with it. */
export function daysOf(rows: readonly Row[], now: number): Day[] {
  const byStart = new Map(rows.map((row) => [Date.parse(String(row.period)), row]))
  return Array.from({ length: daysShown }, (_, index) => {
    const from = dayStart(now, index + 1 - daysShown)
    const row = byStart.get(from)
    return { from, to: dayStart(now, index + 2 - daysShown) - 1, total: Number(row?.total ?? 0), success: Number(row?.success ?? 0) }
  })
}

/** The reader's midnight, some days after the day of an instant; days of 23 or 25 hours included. */
function dayStart(at: number, days: number): number {
  return startOfLocalDate(localDate(at, readerZone()) + days * dayMs, readerZone())
}
