import { occurrences } from '../../calendar/schedule.ts'
import type { Span } from '../../calendar/window.ts'
import { hourMs } from '../../time.ts'
import { type MaintenancePolicy, type Policies, type Selection, selects } from './policies.ts'

type Selectable = Parameters<typeof selects>[1]

/** A maintenance that takes place, and when it ends. */
type CurrentMaintenance = { readonly name: string; readonly until: number }

/** For each check, the maintenance that it is in now, the first of the config file; null outside of all. */
export function currentMaintenance(policies: Policies, now: number): (check: Selectable) => CurrentMaintenance | null {
  const current = allCurrent(policies, now)
  return (check) => current.find((policy) => selects(policy, check)) ?? null
}

type Selected = Selection & CurrentMaintenance

/** Asked for many checks at the same instant. */
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

/** Statuses are asked for often, and the arithmetic of a calendar takes longer than they may. */
const nearTimes = new WeakMap<MaintenancePolicy, Known>()

/** Null where it does not take place now. */
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
