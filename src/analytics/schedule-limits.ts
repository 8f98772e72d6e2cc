import type { Maintenance } from '../calendar/schedule.ts'
import type { Span, Window } from '../calendar/window.ts'
import { apiError } from '../errors.ts'
import { dayMs } from '../time.ts'

/** Recurring schedules are expanded on the main thread: this many days in total take about 40 ms. */
const maxScheduleDays = 21_000
/** Occurrences of maintenances are sent to the readers for each check, or returned with the ids of their checks. */
const maxListed = 100_000

/** Throws if expanding these schedules over a window would block the main thread too long. */
export function checkScheduleDays(maintenances: readonly (Maintenance | { readonly days: unknown })[], { from, to }: Window): void {
  const recurring = maintenances.map((schedule) => recurringSpan(schedule)).filter((span) => span !== null)
  const days = recurring.reduce((sum, span) => sum + Math.max(0, Math.ceil((Math.min(to, span.to) - Math.max(from, span.from)) / dayMs)), 0)
  if (days <= maxScheduleDays) return
  const most = Math.floor(maxScheduleDays / recurring.length)
  throw tooLarge(`with ${recurring.length} schedules of maintenance and service hours, its window may have at most ${most} days`)
}

/** The time in which a schedule recurs; null for one that takes place once. */
function recurringSpan(schedule: Maintenance | { readonly days: unknown }): Span | null {
  if ('every' in schedule || 'days' in schedule) return { from: -Infinity, to: Infinity }
  return 'repeat' in schedule ? { from: schedule.from, to: schedule.repeat.until ?? Infinity } : null
}

/** Throws if there are too many occurrences of maintenances, each counted once per check. */
export function checkListed(times: number): void {
  if (times > maxListed) throw tooLarge(`its checks have ${times} maintenances in the window, and the limit is ${maxListed}`)
}

const tooLarge = (reason: string) => apiError('QUERY_TOO_LARGE', { reason })
