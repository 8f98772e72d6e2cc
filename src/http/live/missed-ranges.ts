/** Start times of results, both ends inclusive; epoch milliseconds. */
export type Range = { readonly from: number; readonly to: number }
export type RangesByCheck = Map<string, Range>

type Entry = { readonly end: number; readonly ranges: RangesByCheck }

const maxEntries = 256

/**
 * Start times of dropped results, by check. Older ranges are merged, so memory is bounded by the number of checks; a range may become
 * wider, but never narrower.
 */
export function createMissedRanges() {
  let entries: Entry[] = []
  return {
    /** All numbers of these results are below `end`, which increases from call to call. */
    add(ranges: ReadonlyMap<string, Range>, end: number): void {
      entries.push({ end, ranges: new Map(ranges) })
      if (entries.length > maxEntries) entries = withOlderHalfMerged(entries)
    },
    /** The ranges of results from this number on. */
    since(number: number): RangesByCheck {
      const found: RangesByCheck = new Map()
      for (const { end, ranges } of entries) if (end > number) mergeInto(found, ranges)
      return found
    },
  }
}

export function widen(ranges: RangesByCheck, checkId: string, { from, to }: Range): void {
  const known = ranges.get(checkId)
  ranges.set(checkId, known ? { from: Math.min(known.from, from), to: Math.max(known.to, to) } : { from, to })
}

function mergeInto(target: RangesByCheck, ranges: ReadonlyMap<string, Range>): void {
  for (const [checkId, range] of ranges) widen(target, checkId, range)
}

function withOlderHalfMerged(entries: readonly Entry[]): Entry[] {
  const half = maxEntries / 2
  const merged: Entry[] = []
  for (let i = 0; i < half; i += 2) {
    const [older, newer] = [entries[i], entries[i + 1]] as [Entry, Entry]
    mergeInto(older.ranges, newer.ranges)
    merged.push({ end: newer.end, ranges: older.ranges })
  }
  return [...merged, ...entries.slice(half)]
}
