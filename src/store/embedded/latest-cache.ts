import { checkKey } from '../../ids/check-ref.ts'
import { compareText } from '../../text/compare-text.ts'
import { isAhead } from '../newest.ts'
import { comparePositions, type StoredResult, toResult } from '../query/parts/stored-result.ts'
import type { CheckRef, FiledResult, Latest, LatestResult } from '../store.ts'

/** The newest result of a location, and the newest one ahead of the clock. */
type Newest = { past: ArrivedResult | null; future: ArrivedResult | null }
type ArrivedResult = StoredResult & Pick<LatestResult, 'arrivedAt'>
type Entry = {
  readonly check: CheckRef
  readonly byLocation: Map<string, Newest>
  /** The locations in order; sorted again only after one is added. */
  locations: readonly string[]
  revision: number
  latest: Latest | null
}

const none: Latest = { revision: '', byLocation: [] }

/**
 * The newest result of each check and location, in memory. A result that a wrong clock has stamped in the future is the newest only if
 * there is no other, until the clock has caught up with it.
 */
export function createLatestCache(clock: () => number) {
  const byCheck = new Map<string, Entry>()
  let revision = 0
  /** The entry of a check that is about to change; drops its cached answer. */
  const changing = (check: CheckRef): Entry => {
    const entry = byCheck.get(checkKey(check)) ?? { check, byLocation: new Map(), locations: [], revision: 0, latest: null }
    byCheck.set(checkKey(check), entry)
    entry.revision = ++revision
    entry.latest = null
    return entry
  }
  return {
    /** Goes backwards: the last result is mostly the newest. */
    observe(results: readonly FiledResult[]): void {
      const now = clock()
      let last: CheckRef | null = null
      let byLocation: Entry['byLocation'] = new Map()
      for (let i = results.length - 1; i >= 0; i--) {
        const { check, result, arrivedAt = now } = results[i] as FiledResult
        if (check !== last) byLocation = changing(check).byLocation
        last = check
        update(newestAt(byLocation, result.runLocation), { result, arrivedAt }, now)
      }
    },
    of(check: CheckRef): Latest {
      const entry = byCheck.get(checkKey(check))
      if (!entry) return none
      if (holdsFuture(entry)) return latestOf(entry, clock())
      entry.latest ??= latestOf(entry, clock())
      return entry.latest
    },
    /** Checks and locations with a result stamped in the future. */
    stampedInFuture: (): readonly { readonly check: CheckRef; readonly location: string }[] =>
      [...byCheck.values()].flatMap(({ check, byLocation }) =>
        [...byLocation].filter(([, { future }]) => future).map(([location]) => ({ check, location })),
      ),
  }
}

function newestAt(byLocation: Entry['byLocation'], location: string): Newest {
  const existing = byLocation.get(location)
  if (existing) return existing
  const added: Newest = { past: null, future: null }
  byLocation.set(location, added)
  return added
}

type Arrived = { readonly result: StoredResult; readonly arrivedAt: number }

function update(newest: Newest, { result, arrivedAt }: Arrived, now: number): void {
  sortByTime(newest, now)
  const kind = isAhead(result.startedAt, now) ? 'future' : 'past'
  const previous = newest[kind]
  if (previous && comparePositions(previous, result) > 0) return
  newest[kind] = arrivedAt > result.startedAt ? { ...result, arrivedAt } : result
}

/** Moves results between `past` and `future` after time has passed or the clock was set back. */
function sortByTime(newest: Newest, now: number): void {
  const { past, future } = newest
  if (future && !isAhead(future.startedAt, now)) Object.assign(newest, { past: future, future: null })
  else if (past && isAhead(past.startedAt, now)) Object.assign(newest, { past: null, future: future ?? past })
}

const holdsFuture = ({ byLocation }: Entry) => [...byLocation.values()].some(({ future }) => future !== null)

function latestOf(entry: Entry, now: number): Latest {
  const { check, byLocation, revision } = entry
  for (const newest of byLocation.values()) sortByTime(newest, now)
  if (entry.locations.length !== byLocation.size) entry.locations = [...byLocation.keys()].sort(compareText)
  const results = entry.locations.flatMap((location) => byLocation.get(location)?.past ?? byLocation.get(location)?.future ?? [])
  return { revision: String(revision), byLocation: results.map((result) => toResult(check, result)) }
}
