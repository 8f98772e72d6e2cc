import { type ByteReader, skip, written } from './byte-reader.ts'

const mark = {
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
const words = { true: written(Buffer.from('true')), false: written(Buffer.from('false')), null: written(Buffer.from('null')) }

/**
 * The value of a property that begins here, as JSON.parse reads it, and the cursor behind it; undefined for what is none or too odd.
 * It has ended only if a comma, a brace or a space comes next, which is the caller's to see.
 */
export function readValue(cursor: ByteReader): unknown {
  const start = cursor.at
  const first = cursor.bytes[start] as number
  if (first === mark.quote) {
    const text = readText(cursor)
    if (text !== undefined) return text
  } else if (first <= mark.nine) {
    const number = readNumber(cursor)
    if (number !== undefined) return number
  } else if (first === mark.f && skip(cursor, words.false)) return false
  else if (first === mark.t && skip(cursor, words.true)) return true
  else if (first === mark.n && skip(cursor, words.null)) return null
  return readOther(cursor, start)
}

/** A double holds every whole number of so many digits. */
const exactDigits = 15
const powersOfTen = Array.from({ length: exactDigits }, (_, decimals) => 10 ** decimals)

/** A number without an exponent. The quotient of two doubles that are exact is the double nearest to it, which is what a parser gives. */
function readNumber(cursor: ByteReader): number | undefined {
  const { bytes, at: start } = cursor
  const isNegative = bytes[start] === mark.minus
  const first = isNegative ? start + 1 : start
  let digits = 0
  let at = first
  let byte = bytes[at] as number
  for (; byte >= mark.zero && byte <= mark.nine; byte = bytes[++at] as number) digits = digits * 10 + (byte - mark.zero)
  const whole = at - first
  if (whole === 0 || (whole > 1 && bytes[first] === mark.zero)) return undefined
  let decimals = 0
  if (byte === mark.dot) {
    byte = bytes[++at] as number
    for (; byte >= mark.zero && byte <= mark.nine; byte = bytes[++at] as number) digits = digits * 10 + (byte - mark.zero)
    decimals = at - first - whole - 1
    if (decimals === 0) return undefined
  }
  if (byte === mark.smallE || byte === mark.bigE) return undefined
  cursor.at = at
  if (whole + decimals > exactDigits) return Number(bytes.toString('latin1', start, at))
  const size = decimals === 0 ? digits : digits / (powersOfTen[decimals] as number)
  return isNegative ? -size : size
}

/** 1 for what stands in a text as it is: ASCII that is no quote, no backslash and no control character. */
const isAsItIs = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= mark.space && byte < 0x80 && byte !== mark.quote && byte !== mark.backslash ? 1 : 0,
)

/** A text of ASCII without escapes. Never a piece of a longer string, which it would keep in memory as long as itself. */
export function readText(cursor: ByteReader): string | undefined {
  const { bytes } = cursor
  const start = cursor.at + 1
  let end = start
  while (isAsItIs[bytes[end] as number] === 1) end++
  if (bytes[end] !== mark.quote) return undefined
  cursor.at = end + 1
  return end - start > maxRecentLength ? bytes.toString('latin1', start, end) : recentText(bytes, start, end)
}

/** Short texts that were read lately, each at a hash of its own: those of rows repeat, and need not be made again. */
const recent: string[] = Array.from({ length: 1024 }, () => '')
const maxRecentLength = 20

function recentText(bytes: Buffer, start: number, end: number): string {
  const place = hashOf(bytes, start, end) % recent.length
  const known = recent[place] as string
  if (known.length === end - start && isWritten(known, bytes, start)) return known
  const text = bytes.toString('latin1', start, end)
  recent[place] = text
  return text
}

/** Made of the length and of the bytes that tell most names apart; that of an empty text takes in a quote, which does no harm. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  const middle = bytes[(start + end) >> 1] as number
  const beforeLast = bytes[Math.max(start, end - 2)] as number
  return end - start + (bytes[start] as number) * 7 + middle * 31 + beforeLast * 101 + (bytes[end - 1] as number) * 11
}

function isWritten(text: string, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/** A value in any other form. Where it really ends does not matter: what parses, and has a comma or a brace behind it, is the value. */
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

/** Enough for a list of objects, such as pages, and far from the depth at which a body is refused. */
const maxDepth = 2

/** Where the value seems to end, at a comma or brace that is outside of texts and brackets; never on another line. */
function endOfValue(bytes: Buffer, start: number): number | undefined {
  let depth = 0
  let inText = false
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === mark.quote) inText = !inText
    else if (byte === mark.newline) return undefined
    else if (inText) at += byte === mark.backslash ? 1 : 0
    else if (depth === 0 && (byte === mark.comma || byte === mark.closeObject)) return at
    else if (byte === mark.openList || byte === mark.openObject) depth++
    else if (byte === mark.closeList || byte === mark.closeObject) depth--
    if (depth > maxDepth) return undefined
  }
  return undefined
}
