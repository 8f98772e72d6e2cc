import { localText } from '../../calendar/local-text.ts'
import { occurrences } from '../../calendar/schedule.ts'
import type { Span } from '../../calendar/window.ts'
import { utc, type Zone } from '../../calendar/zone.ts'
import type { AccountPolicies } from '../../catalogue/policies/parse-policies.ts'
import type { MaintenancePolicy, Selection } from '../../catalogue/policies/policies.ts'
import { dayMs, lastInstant } from '../../time.ts'

/** Longer than the gap between two 31sts, which is up to two months. */
const horizonMs = 70 * dayMs
/** Every two months, a 31st comes after up to six; every twelve, a 29 February after up to eight years. */
const yearMs = 366 * dayMs

/** The cells of current and upcoming maintenances, ordered by start. */
export function maintenanceRows(accounts: readonly AccountPolicies[], now: number): readonly (readonly string[])[] {
  const all = accounts.flatMap(({ account, policies }) => policies.maintenance.map((policy) => ({ account, policy })))
  return all
    .flatMap(({ account, policy }) => {
      const next = nextOccurrence(policy, now)
      return next ? [{ from: next.from, cells: [account.id, ...cellsOf(policy, next, now)] }] : []
    })
    .sort((a, b) => a.from - b.from)
    .map(({ cells }) => cells)
}

/** The current occurrence, or the next one. */
function nextOccurrence(policy: MaintenancePolicy, now: number): Span | undefined {
  const within = (to: number) => occurrences(policy, { from: now, to: Math.min(lastInstant, to) })[0]
  if ('every' in policy) return within(now + horizonMs)
  if (!('repeat' in policy)) return within(lastInstant)
  const [start, { interval }] = [Math.max(now, policy.from), policy.repeat]
  return within(start + interval * horizonMs) ?? within(start + interval * yearMs)
}

function cellsOf(policy: MaintenancePolicy, { from, to }: Span, now: number): readonly string[] {
  const zone = 'zone' in policy ? policy.zone : utc
  return [policy.name, from <= now ? 'current' : 'upcoming', clock(from, zone), clock(to, zone), rhythmText(policy), selectionText(policy)]
}

function rhythmText(policy: MaintenancePolicy): string {
  if ('every' in policy) return `every ${policy.every}`
  if (!('repeat' in policy)) return 'once'
  const { unit, interval } = policy.repeat
  return interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`
}

const clock = (instant: number, zone: Zone) => localText(instant, zone).replace('.000', '')

function selectionText({ checks, tags }: Selection): string {
  const parts = [...(checks.length > 0 ? [checks.join(', ')] : []), ...(tags.length > 0 ? [`tagged ${tags.join(' or ')}`] : [])]
  return parts.join(' if ') || 'all'
}
