import { serviceIntervals } from '../../calendar/schedule.ts'
import type { AlertStep, ServiceHoursPolicy } from '../../catalogue/policies/policies.ts'
import { dayMs } from '../../time.ts'
import type { Incident } from './model.ts'

/** Whether a channel may be notified of an incident now. `at` is when that may change without a new event; null for never. */
type StepAccess = { readonly code: 'active' | 'waits' | 'held' | 'dropped' | 'stopped' | 'none'; readonly at: number | null }

type Course = Pick<Incident, 'openedAt' | 'closedAt' | 'acknowledged'>

/** Combines the steps that name the channel: one active step is enough. */
export function accessOf(steps: readonly AlertStep[], channel: string, incident: Course, now: number): StepAccess {
  const all = steps.filter(({ to }) => to.includes(channel)).map((step) => stepAccess(step, incident, now))
  const code = ranks.find((rank) => all.some((each) => each.code === rank)) ?? 'none'
  const times = all.flatMap(({ at }) => at ?? [])
  return { code, at: times.length === 0 ? null : Math.min(...times) }
}

const ranks: readonly StepAccess['code'][] = ['active', 'held', 'waits', 'stopped', 'dropped', 'none']

function stepAccess({ afterMs, during, outside }: AlertStep, { openedAt, closedAt, acknowledged }: Course, now: number): StepAccess {
  const reachedAt = openedAt + afterMs
  if (afterMs > 0) {
    const isStopped = (acknowledged !== null && acknowledged.at < reachedAt) || (closedAt !== null && closedAt < reachedAt)
    if (isStopped) return { code: 'stopped', at: null }
    if (now < reachedAt) return { code: 'waits', at: reachedAt }
  }
  if (during === null) return { code: 'active', at: null }
  if (outside === 'drop' && !isWithin(during, reachedAt)) return { code: 'dropped', at: null }
  return isWithin(during, now) ? { code: 'active', at: null } : { code: 'held', at: opensAt(during, now) }
}

function isWithin(hours: ServiceHoursPolicy, instant: number): boolean {
  return serviceIntervals(hours, { from: instant, to: instant }).length > 0
}

/** When service hours begin next; if not within eight days, then when to look again. */
function opensAt(hours: ServiceHoursPolicy, now: number): number {
  const to = now + 8 * dayMs
  return serviceIntervals(hours, { from: now, to })[0]?.from ?? to
}
