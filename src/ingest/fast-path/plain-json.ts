import { type ByteReader, bytePattern, skip } from './byte-reader.ts'

const charCode = {
  newline: 0x0a,
  space: 0x20,
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  bigE: 0x45,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  smallE: 0x65,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  openObject: 0x7b,
  closeObject: 0x7d,
}
const words = { true: bytePattern(Buffer.from('true')), false: bytePattern(Buffer.from('false')), null: bytePattern(Buffer.from('null')) }

/**
 * The JSON value at the cursor as JSON.parse reads it, and the cursor past it; undefined for anything invalid or unusual.
 * The caller has to check that a comma, a brace or a space follows.
 */
export function readValue(cursor: ByteReader): unknown {
  const start = cursor.at
  const first = cursor.bytes[start] as number
  if (first === charCode.quote) {
    const text = readString(cursor)
    if (text !== undefined) return text
  } else if (first <= charCode.nine) {
    const number = readNumber(cursor)
    if (number !== undefined) return number
  } else if (first === charCode.f && skip(cursor, words.false)) return false
  else if (first === charCode.t && skip(cursor, words.true)) return true
  else if (first === charCode.n && skip(cursor, words.null)) return null
  return readOther(cursor, start)
}

/** Every integer of this many digits is exact in a double. */
const exactDigits = 15
const powersOfTen = Array.from({ length: exactDigits }, (_, decimals) => 10 ** decimals)

/** A number without an exponent. The quotient of two exact doubles is correctly rounded, as a parser's result is. */
function readNumber(cursor: ByteReader): number | undefined {
  const { bytes, at: start } = cursor
  const isNegative = bytes[start] === charCode.minus
  const first = isNegative ? start + 1 : start
  let digits = 0
  let at = first
  let byte = bytes[at] as number
  for (; byte >= charCode.zero && byte <= charCode.nine; byte = bytes[++at] as number) digits = digits * 10 + (byte - charCode.zero)
  const whole = at - first
  if (whole === 0 || (whole > 1 && bytes[first] === charCode.zero)) return undefined
  let decimals = 0
  if (byte === charCode.dot) {
    byte = bytes[++at] as number
    for (; byte >= charCode.zero && byte <= charCode.nine; byte = bytes[++at] as number) digits = digits * 10 + (byte - charCode.zero)
    decimals = at - first - whole - 1
    if (decimals === 0) return undefined
  }
  if (byte === charCode.smallE || byte === charCode.bigE) return undefined
  cursor.at = at
  if (whole + decimals > exactDigits) return Number(bytes.toString('latin1', start, at))
  const size = decimals === 0 ? digits : digits / (powersOfTen[decimals] as number)
  return isNegative ? -size : size
}

/** 1 for ASCII that needs no escape in a JSON string. */
const isPlainByte = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= charCode.space && byte < 0x80 && byte !== charCode.quote && byte !== charCode.backslash ? 1 : 0,
)

/** An ASCII string without escapes. Never a slice of a longer string, which the slice would keep in memory. */
export function readString(cursor: ByteReader): string | undefined {
  const { bytes } = cursor
  const start = cursor.at + 1
  let end = start
  while (isPlainByte[bytes[end] as number] === 1) end++
  if (bytes[end] !== charCode.quote) return undefined
  cursor.at = end + 1
  return end - start > maxInternedLength ? bytes.toString('latin1', start, end) : internText(bytes, start, end)
}

/** Interned short strings by hash: rows repeat the same strings, so most need no allocation. */
const interned: string[] = Array.from({ length: 1024 }, () => '')
const maxInternedLength = 20

function internText(bytes: Buffer, start: number, end: number): string {
  const slot = hashOf(bytes, start, end) % interned.length
  const candidate = interned[slot] as string
  if (candidate.length === end - start && equalsText(candidate, bytes, start)) return candidate
  const text = bytes.toString('latin1', start, end)
  interned[slot] = text
  return text
}

/** From the length and the bytes that differ most between names; for an empty text it includes a quote, which is harmless. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  const middle = bytes[(start + end) >> 1] as number
  const beforeLast = bytes[Math.max(start, end - 2)] as number
  return end - start + (bytes[start] as number) * 7 + middle * 31 + beforeLast * 101 + (bytes[end - 1] as number) * 11
}

function equalsText(text: string, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/** Parses any other value with JSON.parse. An estimated end is enough: a text that parses and precedes a comma or brace is the value. */
function readOther(cursor: ByteReader, start: number): unknown {
  const end = endOfValue(cursor.bytes, start)
  if (end === undefined) return undefined
  cursor.at = end
  try {
    return JSON.parse(cursor.bytes.toString('utf8', start, end))
  } catch {
    return undefined
  }
}

/** Enough for a list of objects, such as pages, and far below the depth at which a body is rejected. */
const maxDepth = 2

/** The first comma or brace outside of strings and brackets on the same line. */
function endOfValue(bytes: Buffer, start: number): number | undefined {
  let depth = 0
  let inText = false
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === charCode.quote) inText = !inText
    else if (byte === charCode.newline) return undefined
    else if (inText) at += byte === charCode.backslash ? 1 : 0
    else if (depth === 0 && (byte === charCode.comma || byte === charCode.closeObject)) return at
    else if (byte === charCode.openList || byte === charCode.openObject) depth++
    else if (byte === charCode.closeList || byte === charCode.closeObject) depth--
    if (depth > maxDepth) return undefined
  }
  return undefined
}
