import { absentInt } from '../../kernels/numbers.ts'
import { type Texts, toTexts } from '../../kernels/texts.ts'
import { decodeInts, encodeNumbers } from './number-codec.ts'

/** A column as it is stored, and the dictionary of a column of texts once it was decoded. */
export type EncodedColumn = { readonly bytes: Uint8Array; dictionary: Dictionary | null }

type Dictionary = { readonly words: readonly string[]; readonly codes: Uint8Array }

export const encodedColumn = (bytes: Uint8Array): EncodedColumn => ({ bytes, dictionary: null })

const kinds = { dictionary: 0, uuids: 1 } as const
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const noUuid = '00000000-0000-0000-0000-000000000000'
const headerBytes = 8

export function encodeTexts(texts: Texts): Uint8Array {
  const { dictionary } = texts
  return dictionary.length > 0 && dictionary.every((text) => uuid.test(text) && text !== noUuid)
    ? encodeUuids(texts)
    : encodeDictionary(texts)
}

/** Reads the codes `from` up to (not with) `to` of a column into `target`; returns the dictionary that they point into. */
export function decodeTexts(column: EncodedColumn, from: number, to: number, target: Int32Array): readonly string[] {
  if (column.bytes[0] === kinds.uuids) return decodeUuids(column.bytes, from, to, target)
  column.dictionary ??= decodeDictionary(column.bytes)
  decodeInts(column.dictionary.codes, from, to, 1, target)
  return column.dictionary.words
}

function encodeDictionary({ dictionary, codes }: Texts): Uint8Array {
  const words = Buffer.from(JSON.stringify(dictionary))
  const numbers = new Float64Array(codes)
  for (let i = 0; i < codes.length; i++) if (codes[i] === absentInt) numbers[i] = Number.NaN
  const encodedCodes = encodeNumbers(numbers)
  const codesAt = headerBytes + Math.ceil(words.length / 8) * 8
  const bytes = new Uint8Array(codesAt + encodedCodes.length)
  new DataView(bytes.buffer).setUint32(4, words.length, true)
  bytes.set(words, headerBytes)
  bytes.set(encodedCodes, codesAt)
  return bytes
}

function decodeDictionary(bytes: Uint8Array): Dictionary {
  const wordsLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  const words: readonly string[] = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + headerBytes, wordsLength).toString())
  return { words, codes: bytes.subarray(headerBytes + Math.ceil(wordsLength / 8) * 8) }
}

function encodeUuids({ dictionary, codes }: Texts): Uint8Array {
  const bytes = Buffer.alloc(headerBytes + 16 * codes.length)
  bytes[0] = kinds.uuids
  codes.forEach((code, i) => {
    const value = dictionary[code]
    if (value !== undefined) bytes.write(value.replaceAll('-', ''), headerBytes + 16 * i, 'hex')
  })
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
}

function decodeUuids(bytes: Uint8Array, from: number, to: number, target: Int32Array): readonly string[] {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset + headerBytes + 16 * from, 16 * (to - from)).toString('hex')
  const values = Array.from({ length: to - from }, (_, i) => {
    const at = 32 * i
    const text = `${hex.slice(at, at + 8)}-${hex.slice(at + 8, at + 12)}-${hex.slice(at + 12, at + 16)}-${hex.slice(at + 16, at + 20)}-${hex.slice(at + 20, at + 32)}`
    return text === noUuid ? null : text
  })
  const { dictionary, codes } = toTexts(values)
  target.set(codes)
  return dictionary
}
