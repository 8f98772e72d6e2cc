/** Writes rows in ClickHouse's RowBinary format. Doubles keep every bit. */
type RowWriter = {
  uint8(value: number): void
  uint16(value: number): void
  uint32(value: number): void
  int64(value: number): void
  uint64(value: bigint): void
  float64(value: number): void
  text(value: string): void
  bytes(value: Uint8Array): void
  optional<T>(value: T | null | undefined, write: (value: T) => void): void
  list<T>(items: readonly T[], write: (item: T) => void): void
  written(): Uint8Array
}

const firstSize = 65_536

export function createRowWriter(): RowWriter {
  let buffer = Buffer.allocUnsafe(firstSize)
  let end = 0
  const reserve = (length: number): number => {
    const start = end
    end += length
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, end))
      buffer.copy(larger, 0, 0, start)
      buffer = larger
    }
    return start
  }
  const size = (value: number): void => {
    let rest = value
    for (; rest > 127; rest = Math.floor(rest / 128)) uint8((rest & 127) | 128)
    uint8(rest)
  }
  const uint8 = (value: number): void => {
    const at = reserve(1)
    buffer[at] = value
  }
  const float64 = (value: number): void => {
    const at = reserve(8)
    buffer.writeDoubleLE(value, at)
  }
  return {
    uint8,
    float64,
    uint16(value) {
      const at = reserve(2)
      buffer.writeUInt16LE(value, at)
    },
    uint32(value) {
      const at = reserve(4)
      buffer.writeUInt32LE(value, at)
    },
    int64(value) {
      const at = reserve(8)
      buffer.writeBigInt64LE(BigInt(value), at)
    },
    uint64(value) {
      const at = reserve(8)
      buffer.writeBigUInt64LE(value, at)
    },
    text(value) {
      const length = Buffer.byteLength(value)
      size(length)
      const at = reserve(length)
      buffer.write(value, at)
    },
    bytes(value) {
      size(value.length)
      const at = reserve(value.length)
      buffer.set(value, at)
    },
    optional(value, write) {
      uint8(value === null || value === undefined ? 1 : 0)
      if (value !== null && value !== undefined) write(value)
    },
    list(items, write) {
      size(items.length)
      for (const item of items) write(item)
    },
    written: () => buffer.subarray(0, end),
  }
}
