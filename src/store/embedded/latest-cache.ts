import { compareText } from '../../text/compare-text.ts'
import { comparePositions, type StoredResult, toResult } from '../query/stored-result.ts'
import type { CheckRef, FiledResult, Latest } from '../store.ts'

type Entry = {
  readonly byLocation: Map<string, StoredResult>
  /** Its locations in order; sorted again only after there is a new one. */
  locations: readonly string[]
  revision: number
  latest: Latest | null
}

const none: Latest = { revision: '', byLocation: [] }

/** The newest result of each check and location, in memory. */
export function createLatestCache() {
  const byCheck = new Map<string, Entry>()
  let revision = 0
  /** The entry of a check that is about to change. */
  const changing = (check: CheckRef): Entry => {
    const entry = byCheck.get(nameOf(check)) ?? { byLocation: new Map(), locations: [], revision: 0, latest: null }
    byCheck.set(nameOf(check), entry)
    entry.revision = ++revision
    entry.latest = null
    return entry
  }
  return {
    /** From the last on, which mostly is the newest. */
    observe(results: readonly FiledResult[]): void {
      let last: CheckRef | null = null
      let byLocation: Entry['byLocation'] = new Map()
      for (let i = results.length - 1; i >= 0; i--) {
        const { check, result } = results[i] as FiledResult
        if (check !== last) byLocation = changing(check).byLocation
        last = check
        const previous = byLocation.get(result.runLocation)
        if (!previous || comparePositions(previous, result) < 0) byLocation.set(result.runLocation, result)
      }
    },
    of(check: CheckRef): Latest {
      const entry = byCheck.get(nameOf(check))
      if (!entry) return none
      entry.latest ??= latestOf(check, entry)
      return entry.latest
    },
  }
}

function latestOf(check: CheckRef, entry: Entry): Latest {
  const { byLocation, revision } = entry
  if (entry.locations.length !== byLocation.size) entry.locations = [...byLocation.keys()].sort(compareText)
  const results = entry.locations.map((location) => byLocation.get(location) as StoredResult)
  return { revision: String(revision), byLocation: results.map((result) => toResult(check, result)) }
}

const nameOf = ({ account, checkId }: CheckRef) => `${account}\n${checkId}`
