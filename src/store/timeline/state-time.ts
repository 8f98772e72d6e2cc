import type { StateSink } from './interval.ts'
import type { TimelineState } from './state.ts'

/** Milliseconds in each state. */
export type StateTime = Readonly<Record<TimelineState, number>>

export const noTime = (): Record<TimelineState, number> => ({ up: 0, degraded: 0, down: 0, unknown: 0, maintenance: 0 })

/** Sums the time in each state per bucket. Buckets begin at ascending `starts`; no interval may begin before the first one. */
export function sumStateTime(starts: ArrayLike<number>): { readonly onInterval: StateSink; readonly rows: readonly StateTime[] } {
  const rows = Array.from(starts, noTime)
  let bucket = 0
  const endOf = (index: number) => starts[index + 1] ?? Number.POSITIVE_INFINITY
  return {
    rows,
    onInterval(from, to, state) {
      for (let at = from; at < to; ) {
        while (bucket + 1 < starts.length && endOf(bucket) <= at) bucket++
        const end = Math.min(to, endOf(bucket))
        const row = rows[bucket] as Record<TimelineState, number>
        row[state] += end - at
        at = end
      }
    },
  }
}

/** The percentage of known time outside maintenance that was up; degraded time counts as `degradedAs`. Null without known time. */
export function availability({ up, degraded, down }: StateTime, degradedAs: 'up' | 'down'): number | null {
  const known = up + degraded + down
  if (known === 0) return null
  return ((degradedAs === 'up' ? up + degraded : up) / known) * 100
}
