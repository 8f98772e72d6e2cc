import { hash } from 'node:crypto'
import { lruCache } from '../cache/cache.ts'
import { compareText } from '../text/compare-text.ts'

/** No instance has more than this multiple of the average, rounded up. */
const maxLoad = 1.25

/**
 * Rendezvous hashing with bounded loads: assigns each key to an instance, independent of the order of both. When an instance comes or goes,
 * few keys move other than its own. Empty if there are no instances.
 */
export function ownersOf(keys: readonly string[], instances: readonly string[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const capacity = Math.ceil((maxLoad * keys.length) / instances.length)
  const seats = instances.toSorted(compareText).map((instance) => ({ instance, hash: hashOf(instance), load: 0 }))
  const hashed = keys.map((key) => ({ key, hash: hashOf(key) }))
  for (const { key, hash } of hashed.toSorted((a, b) => a.hash - b.hash || compareText(a.key, b.key))) {
    const owner = highest(hash, seats, capacity)
    if (!owner) break
    owner.load += 1
    owners.set(key, owner.instance)
  }
  return owners
}

type Seat = { readonly instance: string; readonly hash: number; load: number }

/** The instance with the highest score for a key among those below capacity. */
function highest(key: number, seats: readonly Seat[], capacity: number): Seat | undefined {
  let best: Seat | undefined
  let bestScore = -1
  for (const seat of seats) {
    const score = seat.load < capacity ? mixed(key ^ mixed(seat.hash)) : -1
    if (score <= bestScore) continue
    bestScore = score
    best = seat
  }
  return best
}

/** Cached, since the same few thousand texts are hashed again on every change. */
const hashes = lruCache<string, number>(50_000)

function hashOf(text: string): number {
  return hashes.getOrCreate(text, () => Number.parseInt(hash('sha256', text).slice(0, 8), 16))
}

/** Every bit of the result depends on every bit of the input (the finalizer of MurmurHash3). */
function mixed(value: number): number {
  let bits = value ^ (value >>> 16)
  bits = Math.imul(bits, 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
