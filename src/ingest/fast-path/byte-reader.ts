/** A cursor in the UTF-8 bytes of a body. */
export type ByteReader = { readonly bytes: Buffer; readonly view: DataView; at: number }

export function byteReader(bytes: Buffer, at: number): ByteReader {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at }
}

/**
 * At least four bytes to match. Comparing a 32-bit word costs as much as a byte, so up to sixteen bytes are the words at 0, `second`,
 * `third` and `last`, which may overlap; longer patterns continue at `restAt`.
 */
export type BytePattern = {
  readonly length: number
  readonly second: number
  readonly third: number
  readonly last: number
  readonly firstWord: number
  readonly secondWord: number
  readonly thirdWord: number
  readonly lastWord: number
  readonly restAt: number
  readonly rest: BytePattern | null
}

export function bytePattern(bytes: Buffer): BytePattern {
  const last = Math.min(bytes.length, 16) - 4
  const second = Math.min(4, last)
  const third = Math.max(last - 4, 0)
  const restAt = Math.min(bytes.length - 4, 16)
  return {
    length: bytes.length,
    second,
    third,
    last,
    firstWord: bytes.readInt32LE(0),
    secondWord: bytes.readInt32LE(second),
    thirdWord: bytes.readInt32LE(third),
    lastWord: bytes.readInt32LE(last),
    restAt,
    rest: bytes.length > 16 ? bytePattern(bytes.subarray(restAt)) : null,
  }
}

/** Moves the cursor past these bytes if they come next. */
export function skip(cursor: ByteReader, expected: BytePattern): boolean {
  const end = cursor.at + expected.length
  if (end > cursor.bytes.length || !isAt(cursor.view, cursor.at, expected)) return false
  cursor.at = end
  return true
}

function isAt(view: DataView, at: number, expected: BytePattern): boolean {
  if (view.getInt32(at, true) !== expected.firstWord || view.getInt32(at + expected.last, true) !== expected.lastWord) return false
  if (view.getInt32(at + expected.second, true) !== expected.secondWord) return false
  if (view.getInt32(at + expected.third, true) !== expected.thirdWord) return false
  return expected.rest === null || isAt(view, at + expected.restAt, expected.rest)
}

const space = 0x20

export function skipSpaces(cursor: ByteReader): void {
  while (cursor.bytes[cursor.at] === space) cursor.at++
}
