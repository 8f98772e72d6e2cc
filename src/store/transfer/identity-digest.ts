import { hash } from 'node:crypto'
import type { StoredPosition } from '../query/parts/stored-result.ts'
import type { Digest } from './contents.ts'

/** Digests of results for parts of `widthMs`: an XOR of hashes of their identities, so that their order does not matter. */
export function createDigests(widthMs: number) {
  const units = new Map<number, { results: number; low: number; high: number }>()
  return {
    add(position: StoredPosition): void {
      const from = Math.floor(position.startedAt / widthMs) * widthMs
      const unit = units.get(from) ?? { results: 0, low: 0, high: 0 }
      const bytes = hash('sha256', identityText(position), 'binary')
      unit.results += 1
      unit.low ^= wordAt(bytes, 0)
      unit.high ^= wordAt(bytes, 4)
      units.set(from, unit)
    },
    /** Sorted by time. */
    all: (): readonly Digest[] =>
      Array.from(units, ([from, { results, low, high }]) => ({ from, results, digest: unsignedText(high, low) })).sort(
        (a, b) => a.from - b.from,
      ),
  }
}

const identityText = ({ startedAt, runLocation, id }: StoredPosition) => `${startedAt} ${runLocation} ${id ?? ''}`

/** The same hash in the SQL of ClickHouse: the first eight bytes, little-endian. */
export const identityHashSql = "reinterpretAsUInt64(substring(SHA256(concat(toString(startedAt), ' ', runLocation, ' ', id)), 1, 8))"

function wordAt(bytes: string, at: number): number {
  return bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8) | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)
}

const unsignedText = (high: number, low: number) => ((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)).toString()
