import { compareText } from '../../../text/compare-text.ts'
import { absentInt } from '../../kernels/numbers.ts'
import type { Texts } from '../../kernels/texts.ts'
import { type Part, textAt } from '../../query/part.ts'
import type { StoredPosition } from '../../query/stored-result.ts'

/**
 * What makes results of a check, which are in order, the same as others: the ids that they came with, and of those that came without
 * one the time and place that an id would be derived from.
 */
export type DedupKeys = { readonly times: Float64Array; readonly locations: Texts; readonly ids: Texts }

/** For each row, 1 if it is known already. */
export type DuplicateMask = Uint8Array

export function dedupKeysOf(part: Part): DedupKeys {
  return { times: part.numbers('time'), locations: part.texts('location'), ids: part.texts('id') }
}

/** Those that are the same as an earlier one among them. */
export function duplicatesWithin(keys: DedupKeys): DuplicateMask {
  const { times, locations } = keys
  const known = new Uint8Array(times.length)
  for (let row = 1; row < times.length; row++) {
    if (times[row] !== times[row - 1] || locations.codes[row] !== locations.codes[row - 1]) continue
    if (!hasId(keys, row) && !hasId(keys, row - 1)) known[row] = 1
  }
  const met = new Set<string>()
  markDuplicateIds(keys, known, (id) => {
    const isMet = met.has(id)
    met.add(id)
    return isMet
  })
  return known
}

/** Marks those that came with an id that is known. */
export function markDuplicateIds({ ids }: DedupKeys, known: DuplicateMask, isKnown: (id: string) => boolean): void {
  if (ids.dictionary.length === 0) return
  for (let row = 0; row < known.length; row++) {
    const id = textAt(ids, row)
    if (id !== null && known[row] === 0 && isKnown(id)) known[row] = 1
  }
}

type Candidates = {
  /** Only the rows `first` up to (not with) `end` can be among them. */
  readonly first: number
  readonly end: number
  /** Called only where they must be looked at. */
  readonly read: () => DedupKeys
}

/** Marks those that came without an id and are among others. */
export function markDuplicateOrigins(keys: DedupKeys, known: DuplicateMask, { first, end, read }: Candidates): void {
  const { times, locations } = keys
  let others: DedupKeys | null = null
  let place = 0
  for (let row = first; row < end; row++) {
    if (known[row] === 1 || hasId(keys, row)) continue
    others ??= read()
    const origin = { startedAt: times[row] as number, runLocation: textAt(locations, row) ?? '' }
    place = firstNotBeforeOrigin(others, origin, place)
    if (holdsAt(others, origin, place)) known[row] = 1
  }
}

type Origin = Pick<StoredPosition, 'startedAt' | 'runLocation'>

/** The first row, from `from` on, that does not come before an origin; one that is near is found soonest. */
function firstNotBeforeOrigin(keys: DedupKeys, origin: Origin, from: number): number {
  const end = keys.times.length
  let [low, high] = [from, from]
  for (let step = 1; high < end && compareAt(keys, high, origin) < 0; step *= 2) {
    low = high + 1
    high += step
  }
  high = Math.min(high, end)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareAt(keys, middle, origin) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether any, from a row on, is of this very origin and came without an id. */
function holdsAt(keys: DedupKeys, origin: Origin, from: number): boolean {
  const end = keys.times.length
  for (let row = from; row < end && compareAt(keys, row, origin) === 0; row++) if (!hasId(keys, row)) return true
  return false
}

function compareAt({ times, locations }: DedupKeys, row: number, { startedAt, runLocation }: Origin): number {
  return (times[row] as number) - startedAt || compareText(textAt(locations, row) ?? '', runLocation)
}

const hasId = ({ ids }: DedupKeys, row: number) => ids.codes[row] !== absentInt
