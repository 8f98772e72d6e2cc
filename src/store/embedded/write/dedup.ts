import { compareText } from '../../../text/compare-text.ts'
import { absentInt } from '../../kernels/numbers.ts'
import type { Texts } from '../../kernels/texts.ts'
import { type Part, textAt } from '../../query/parts/part.ts'
import type { StoredPosition } from '../../query/parts/stored-result.ts'

/**
 * Identities of the results of a check, in order: the id that a result was sent with, or else the time and location from which its id is
 * derived.
 */
export type DedupKeys = { readonly times: Float64Array; readonly locations: Texts; readonly ids: Texts }

/** For each row, 1 if it is a duplicate. */
export type DuplicateMask = Uint8Array

export function dedupKeysOf(part: Part): DedupKeys {
  return { times: part.numbers('time'), locations: part.texts('location'), ids: part.texts('id') }
}

/** Marks rows that repeat an earlier row. */
export function duplicatesWithin(keys: DedupKeys): DuplicateMask {
  const { times, locations } = keys
  const mask = new Uint8Array(times.length)
  for (let row = 1; row < times.length; row++) {
    if (times[row] !== times[row - 1] || locations.codes[row] !== locations.codes[row - 1]) continue
    if (!hasId(keys, row) && !hasId(keys, row - 1)) mask[row] = 1
  }
  const seen = new Set<string>()
  markDuplicateIds(keys, mask, (id) => {
    const isSeen = seen.has(id)
    seen.add(id)
    return isSeen
  })
  return mask
}

/** Marks rows that were sent with an id that already exists. */
export function markDuplicateIds({ ids }: DedupKeys, mask: DuplicateMask, exists: (id: string) => boolean): void {
  if (ids.dictionary.length === 0) return
  for (let row = 0; row < mask.length; row++) {
    const id = textAt(ids, row)
    if (id !== null && mask[row] === 0 && exists(id)) mask[row] = 1
  }
}

type Existing = {
  /** Only the rows `[first, end)` can have duplicates among the existing results. */
  readonly first: number
  readonly end: number
  /** Called only if a comparison is needed. */
  readonly read: () => DedupKeys
}

/** Marks rows without an id that have the time and location of an existing result without one. */
export function markDuplicateOrigins(keys: DedupKeys, mask: DuplicateMask, { first, end, read }: Existing): void {
  const { times, locations } = keys
  let existing: DedupKeys | null = null
  let at = 0
  for (let row = first; row < end; row++) {
    if (mask[row] === 1 || hasId(keys, row)) continue
    existing ??= read()
    const origin = { startedAt: times[row] as number, runLocation: textAt(locations, row) ?? '' }
    at = firstNotBeforeOrigin(existing, origin, at)
    if (holdsAt(existing, origin, at)) mask[row] = 1
  }
}

type Origin = Pick<StoredPosition, 'startedAt' | 'runLocation'>

/** Galloping search, from `from` on, for the first row that does not come before an origin. */
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

/** Whether one of the rows from `from` on has this origin and no id. */
function holdsAt(keys: DedupKeys, origin: Origin, from: number): boolean {
  const end = keys.times.length
  for (let row = from; row < end && compareAt(keys, row, origin) === 0; row++) if (!hasId(keys, row)) return true
  return false
}

function compareAt({ times, locations }: DedupKeys, row: number, { startedAt, runLocation }: Origin): number {
  return (times[row] as number) - startedAt || compareText(textAt(locations, row) ?? '', runLocation)
}

const hasId = ({ ids }: DedupKeys, row: number) => ids.codes[row] !== absentInt
