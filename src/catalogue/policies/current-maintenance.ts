import { occurrences } from '../../calendar/schedule.ts'
import type { Span } from '../../calendar/window.ts'
import { hourMs } from '../../time.ts'
import { type MaintenancePolicy, type Policies, type Selection, selects } from './policies.ts'

type Selectable = Parameters<typeof selects>[1]

/** For each check, the name of the maintenance that it is in now, the first of the config file; null outside of all. */
export function currentMaintenance({ maintenance }: Policies, now: number): (check: Selectable) => string | null {
  const current: readonly (Selection & { readonly name: string })[] = maintenance.filter((policy) => isOn(policy, now))
  return (check) => current.find((policy) => selects(policy, check))?.name ?? null
}

type Known = { readonly from: number; readonly to: number; readonly intervals: readonly Span[] }

/** Statuses are asked for often, and the arithmetic of a calendar takes longer than they may. */
const nearTimes = new WeakMap<MaintenancePolicy, Known>()

function isOn(policy: MaintenancePolicy, now: number): boolean {
  return intervalsNear(policy, now).some(({ from, to }) => from <= now && now < to)
}

function intervalsNear(policy: MaintenancePolicy, now: number): readonly Span[] {
  const known = nearTimes.get(policy)
  if (known && known.from <= now && now < known.to) return known.intervals
  const window = { from: now, to: now + hourMs }
  const intervals = occurrences(policy, window)
  nearTimes.set(policy, { ...window, intervals })
  return intervals
}
