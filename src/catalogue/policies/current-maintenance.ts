import { occurrences } from '../../calendar/schedule.ts'
import type { Span } from '../../calendar/window.ts'
import { hourMs } from '../../time.ts'
import { type MaintenancePolicy, type Policies, type Selection, selects } from './policies.ts'

type Selectable = Parameters<typeof selects>[1]

/** An ongoing maintenance, and when it ends. */
type CurrentMaintenance = { readonly name: string; readonly until: number }

/** Returns a function that finds the ongoing maintenance of a check, the first one in the order of the policies; null if there is none. */
export function currentMaintenance(policies: Policies, now: number): (check: Selectable) => CurrentMaintenance | null {
  const current = allCurrent(policies, now)
  return (check) => current.find((policy) => selects(policy, check)) ?? null
}

type Selected = Selection & CurrentMaintenance

/** Cached, because callers ask for many checks at the same instant. */
const lastAsked = new WeakMap<Policies, { readonly now: number; readonly current: readonly Selected[] }>()

function allCurrent(policies: Policies, now: number): readonly Selected[] {
  const last = lastAsked.get(policies)
  if (last?.now === now) return last.current
  const current = policies.maintenance.flatMap((policy) => {
    const until = endOf(policy, now)
    return until === null ? [] : [{ ...policy, until }]
  })
  lastAsked.set(policies, { now, current })
  return current
}

type Known = { readonly from: number; readonly to: number; readonly intervals: readonly Span[] }

/** Cached, because statuses are requested often, and calendar arithmetic is too slow for that. */
const nearTimes = new WeakMap<MaintenancePolicy, Known>()

/** Null if it is not ongoing. */
function endOf(policy: MaintenancePolicy, now: number): number | null {
  return intervalsNear(policy, now).find(({ from, to }) => from <= now && now < to)?.to ?? null
}

function intervalsNear(policy: MaintenancePolicy, now: number): readonly Span[] {
  const known = nearTimes.get(policy)
  if (known && known.from <= now && now < known.to) return known.intervals
  const window = { from: now, to: now + hourMs }
  const intervals = occurrences(policy, window)
  nearTimes.set(policy, { ...window, intervals })
  return intervals
}
