import type { Draft, Properties, Property } from '../properties.ts'
import { type ByteReader, skip, skipSpaces, type Written, written } from './byte-reader.ts'
import { readText, readValue } from './plain-json.ts'

/** A property of a check type; what came after it the last time, and the row that had it last. */
type Key = { readonly put: Property; after: Gap | null; row: number }

/** What stands between two values, such as `,"attempts":`, and the property that it names. */
type Gap = { readonly written: Written; readonly key: Key }

/** The properties of a check type; after `start` comes the first of a row. */
export type Keys = { readonly named: ReadonlyMap<string, Key>; readonly checkId: Key; readonly start: Key }

type Owner = { readonly keys: Keys }

/** The checks that rows are of: the one found last, and a way to find another. */
export type Checks = { readonly latest: Owner | undefined; find(checkId: unknown): Owner | undefined }

export function keysOf(properties: Properties): Keys {
  const checkId = newKey(() => null)
  const named = new Map(Array.from(properties, ([name, put]) => [name, newKey(put)]))
  return { named: named.set('checkId', checkId), checkId, start: newKey(() => null) }
}

const newKey = (put: Property): Key => ({ put, after: null, row: 0 })

const mark = { quote: 0x22, comma: 0x2c, colon: 0x3a, openObject: 0x7b, closeObject: 0x7d }
const opening = written(Buffer.from('{"checkId":'))
const maxGapLength = 64
/** Tells a row from those before it; whole numbers of 32 bits are quick. */
let rows = 0

/**
 * Puts the row that begins at the cursor into the draft, straight from its bytes, where it is written as programs write rows, and moves the
 * cursor behind it. False where it is written otherwise or anything is wrong: then it must be read in the ordinary way, which knows all
 * that JSON may be and what to say. A row that does not begin with its check is expected to be of the same type as the one before.
 */
export function fillPlainly(cursor: ByteReader, draft: Draft, checks: Checks): boolean {
  rows = (rows + 1) | 0
  const row = rows
  let isOfCheck = skip(cursor, opening)
  if (isOfCheck) skipSpaces(cursor)
  const keys = (isOfCheck ? checks.find(readValue(cursor)) : checks.latest)?.keys
  if (keys === undefined) return false
  let key = isOfCheck ? keys.checkId : keys.start
  key.row = row
  while (cursor.bytes[cursor.at] !== mark.closeObject) {
    const next = nextKey(cursor, keys, key)
    if (next === undefined || next.row === row) return false
    next.row = row
    key = next
    const value = readValue(cursor)
    if (value === undefined || key.put(draft, value) !== null) return false
    if (key !== keys.checkId) continue
    if (checks.find(value)?.keys !== keys) return false
    isOfCheck = true
  }
  cursor.at++
  return isOfCheck
}

/** Rows of a type mostly have the same properties in the same order; where this one has others, they are what is expected next. */
function nextKey(cursor: ByteReader, { named, start }: Keys, key: Key): Key | undefined {
  if (key.after !== null && skip(cursor, key.after.written)) return key.after.key
  const gap = readGap(cursor, named, key === start ? mark.openObject : mark.comma)
  if (gap === undefined) return undefined
  key.after = gap
  return gap.key
}

function readGap(cursor: ByteReader, named: Keys['named'], first: number): Gap | undefined {
  const { bytes, at } = cursor
  skipSpaces(cursor)
  if (bytes[cursor.at++] !== first) return undefined
  skipSpaces(cursor)
  const name = bytes[cursor.at] === mark.quote ? readText(cursor) : undefined
  const key = name === undefined ? undefined : named.get(name)
  skipSpaces(cursor)
  if (key === undefined || bytes[cursor.at++] !== mark.colon) return undefined
  skipSpaces(cursor)
  return cursor.at - at > maxGapLength ? undefined : { key, written: written(bytes.subarray(at, cursor.at)) }
}
