import type { PartialResult, Properties, Property } from '../properties.ts'
import { type BytePattern, type ByteReader, bytePattern, skip, skipSpaces } from './byte-reader.ts'
import { readString, readValue } from './plain-json.ts'

/** A property of a check type, the separator that followed it last, and the last row that had it. */
type Key = { readonly put: Property; after: Separator | null; row: number }

/** The bytes between two values, such as `,"attempts":`, and the property that they name. */
type Separator = { readonly pattern: BytePattern; readonly key: Key }

/** The properties of a check type; `start` precedes the first one of a row. */
export type Keys = { readonly named: ReadonlyMap<string, Key>; readonly checkId: Key; readonly start: Key }

type Owner = { readonly keys: Keys }

/** Looks up the check of a row; `latest` is the one found last. */
type Checks = { readonly latest: Owner | undefined; find(checkId: unknown): Owner | undefined }

export function keysOf(properties: Properties): Keys {
  const checkId = newKey(() => null)
  const named = new Map(Array.from(properties, ([name, put]) => [name, newKey(put)]))
  return { named: named.set('checkId', checkId), checkId, start: newKey(() => null) }
}

const newKey = (put: Property): Key => ({ put, after: null, row: 0 })

const charCode = { quote: 0x22, comma: 0x2c, colon: 0x3a, openObject: 0x7b, closeObject: 0x7d }
const opening = bytePattern(Buffer.from('{"checkId":'))
const maxSeparatorLength = 64
/** The number of the current row, to detect repeated properties; 32-bit integers are fast. */
let rows = 0

/**
 * Parses the row at the cursor straight from its bytes, and moves the cursor past it. False if the row is not in plain form or is invalid:
 * then JSON.parse must read it, and its error is reported. A row that does not start with its checkId is expected to be of the same type as
 * the previous row.
 */
export function parsePlainRow(cursor: ByteReader, partial: PartialResult, checks: Checks): boolean {
  rows = (rows + 1) | 0
  const row = rows
  let hasCheckId = skip(cursor, opening)
  if (hasCheckId) skipSpaces(cursor)
  const keys = (hasCheckId ? checks.find(readValue(cursor)) : checks.latest)?.keys
  if (keys === undefined) return false
  let key = hasCheckId ? keys.checkId : keys.start
  key.row = row
  while (cursor.bytes[cursor.at] !== charCode.closeObject) {
    const next = nextKey(cursor, keys, key)
    if (next === undefined || next.row === row) return false
    next.row = row
    key = next
    const value = readValue(cursor)
    if (value === undefined || key.put(partial, value) !== null) return false
    if (key !== keys.checkId) continue
    if (checks.find(value)?.keys !== keys) return false
    hasCheckId = true
  }
  cursor.at++
  return hasCheckId
}

/** Rows of a type mostly have the same properties in the same order; a deviation becomes the new expectation. */
function nextKey(cursor: ByteReader, { named, start }: Keys, key: Key): Key | undefined {
  if (key.after !== null && skip(cursor, key.after.pattern)) return key.after.key
  const separator = readSeparator(cursor, named, key === start ? charCode.openObject : charCode.comma)
  if (separator === undefined) return undefined
  key.after = separator
  return separator.key
}

function readSeparator(cursor: ByteReader, named: Keys['named'], first: number): Separator | undefined {
  const { bytes, at } = cursor
  skipSpaces(cursor)
  if (bytes[cursor.at++] !== first) return undefined
  skipSpaces(cursor)
  const name = bytes[cursor.at] === charCode.quote ? readString(cursor) : undefined
  const key = name === undefined ? undefined : named.get(name)
  skipSpaces(cursor)
  if (key === undefined || bytes[cursor.at++] !== charCode.colon) return undefined
  skipSpaces(cursor)
  return cursor.at - at > maxSeparatorLength ? undefined : { key, pattern: bytePattern(bytes.subarray(at, cursor.at)) }
}
