import { minuteMs } from '../../time.ts'
import type { Unreachable } from '../outbox/alert-database.ts'

/** What a process or an agent has found of the canaries of a location. */
export type ReachReport = { readonly account: string; readonly location: string; readonly by: string; readonly isReached: boolean }

type Place = Pick<ReachReport, 'account' | 'location'>

type Options = {
  readonly now: () => number
  /** Whether the config file has canaries of it. */
  readonly hasCanary: (place: Place) => boolean
  /** What was recorded last of each location. */
  readonly stored: readonly (Place & { readonly since: number | null })[]
  readonly record: (spell: Unreachable) => void
  readonly onChange: (account: string) => void
}

/** Four reports of a process that is alive. */
const validMs = minuteMs

type Known = {
  readonly place: Place
  /** By who reported. */
  readonly reports: Map<string, { readonly isReached: boolean; readonly at: number }>
  unreachableSince: number | null
}

/** Which locations can reach none of their canaries, by the reports of those who run their checks: one that reaches any is enough. */
export function createReachability({ now, hasCanary, stored, record, onChange }: Options) {
  const locations = new Map<string, Known>()
  for (const { account, location, since } of stored) put({ account, location }, since)

  function put(place: Place, unreachableSince: number | null): Known {
    const known: Known = { place, reports: new Map(), unreachableSince }
    locations.set(keyOf(place), known)
    return known
  }

  /** From here on its changes are recorded: a spell without a length says so. */
  function begin(place: Place): Known {
    record({ ...place, from: now(), to: now() })
    return put(place, null)
  }

  function hear({ by, isReached, ...place }: ReachReport): void {
    const known = locations.get(keyOf(place)) ?? begin(place)
    known.reports.set(by, { isReached, at: now() })
    for (const [who, { at }] of known.reports) if (at <= now() - validMs || at > now()) known.reports.delete(who)
    const isReachable = [...known.reports.values()].some((each) => each.isReached)
    if (isReachable !== (known.unreachableSince === null)) turn(known, isReachable)
  }

  function turn(known: Known, isReachable: boolean): void {
    const { place, unreachableSince } = known
    record({ ...place, from: unreachableSince ?? now(), to: isReachable ? now() : null })
    known.unreachableSince = isReachable ? null : now()
    onChange(place.account)
  }

  return {
    hear(reports: readonly ReachReport[]): void {
      for (const { account, location, by, isReached } of reports)
        if (hasCanary({ account, location })) hear({ account, location, by, isReached })
    },
    /** Locations that the config file gives no canaries any more count as reachable. */
    follow(): void {
      for (const known of locations.values()) if (known.unreachableSince !== null && !hasCanary(known.place)) turn(known, true)
    },
    of: (account: string): ReadonlyMap<string, number> =>
      new Map(
        [...locations.values()].flatMap(({ place, unreachableSince }) =>
          place.account === account && unreachableSince !== null ? [[place.location, unreachableSince] as const] : [],
        ),
      ),
  }
}

const keyOf = ({ account, location }: Place) => JSON.stringify([account, location])
