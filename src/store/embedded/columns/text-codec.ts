import { absentInt } from '../../kernels/numbers.ts'
import { type Texts, toTexts } from '../../kernels/texts.ts'
import { formatSlotId, parseSlotId, type SlotId } from '../../slot-id.ts'
import { decodeInts, decodeNumbers, encodeNumbers } from './number-codec.ts'

/** A stored column; `dictionary` caches the decoded dictionary of a text column. */
export type EncodedColumn = { readonly bytes: Uint8Array; dictionary: Dictionary | null }

type Dictionary = { readonly words: readonly string[]; readonly codes: Uint8Array }

export const encodedColumn = (bytes: Uint8Array): EncodedColumn => ({ bytes, dictionary: null })

const kinds = { dictionary: 0, uuids: 1, slots: 2 } as const
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const noUuid = '00000000-0000-0000-0000-000000000000'
const headerBytes = 8

export function encodeTexts(texts: Texts): Uint8Array {
  const { dictionary } = texts
  const slots = slotsOf(dictionary)
  if (slots) return encodeSlots(texts.codes, slots)
  return dictionary.length > 0 && dictionary.every((text) => uuid.test(text) && text !== noUuid)
    ? encodeUuids(texts)
    : encodeDictionary(texts)
}

/** Decodes the codes `[from, to)` of a column into `target`; returns their dictionary. */
export function decodeTexts(column: EncodedColumn, from: number, to: number, target: Int32Array): readonly string[] {
  if (column.bytes[0] === kinds.uuids) return decodeUuids(column.bytes, from, to, target)
  if (column.bytes[0] === kinds.slots) return decodeSlots(column.bytes, from, to, target)
  column.dictionary ??= decodeDictionary(column.bytes)
  decodeInts(column.dictionary.codes, from, to, 1, target)
  return column.dictionary.words
}

function encodeDictionary({ dictionary, codes }: Texts): Uint8Array {
  const words = Buffer.from(JSON.stringify(dictionary))
  const numbers = new Float64Array(codes)
  for (let i = 0; i < codes.length; i++) if (codes[i] === absentInt) numbers[i] = Number.NaN
  const encodedCodes = encodeNumbers(numbers)
  const codesAt = headerBytes + aligned(words.length)
  const bytes = new Uint8Array(codesAt + encodedCodes.length)
  new DataView(bytes.buffer).setUint32(4, words.length, true)
  bytes.set(words, headerBytes)
  bytes.set(encodedCodes, codesAt)
  return bytes
}

function decodeDictionary(bytes: Uint8Array): Dictionary {
  const wordsLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true)
  const words: readonly string[] = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + headerBytes, wordsLength).toString())
  return { words, codes: bytes.subarray(headerBytes + aligned(wordsLength)) }
}

/** Number columns start at a multiple of 8 bytes, as typed arrays require. */
export const aligned = (length: number) => Math.ceil(length / 8) * 8

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

/** The parsed slot ids; null if a text is not a slot id, or too few share a rest to save space. */
function slotsOf(dictionary: readonly string[]): readonly SlotId[] | null {
  const slots: SlotId[] = []
  for (const text of dictionary) {
    const slot = parseSlotId(text)
    if (!slot) return null
    slots.push(slot)
  }
  const rests = new Set(slots.map(({ rest }) => rest)).size
  return rests > 0 && 4 * rests <= slots.length ? slots : null
}

/** Encodes the times of the slots relative to the first one, and the rests of the ids as a dictionary. */
function encodeSlots(codes: Int32Array, slots: readonly SlotId[]): Uint8Array {
  const first = slots.reduce((least, { slotAt }) => Math.min(least, slotAt), Number.POSITIVE_INFINITY)
  const rests = encodeDictionary(toTexts(Array.from(codes, (code) => slots[code]?.rest ?? null)))
  const times = encodeNumbers(Float64Array.from(codes, (code) => (slots[code]?.slotAt ?? Number.NaN) - first))
  const timesAt = 2 * headerBytes + aligned(rests.length)
  const bytes = new Uint8Array(timesAt + times.length)
  const view = new DataView(bytes.buffer)
  bytes[0] = kinds.slots
  view.setUint32(4, rests.length, true)
  view.setFloat64(headerBytes, first, true)
  bytes.set(rests, 2 * headerBytes)
  bytes.set(times, timesAt)
  return bytes
}

function decodeSlots(bytes: Uint8Array, from: number, to: number, target: Int32Array): readonly string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const restsEnd = 2 * headerBytes + view.getUint32(4, true)
  const first = view.getFloat64(headerBytes, true)
  const { words, codes } = decodeDictionary(bytes.subarray(2 * headerBytes, restsEnd))
  const times = new Float64Array(to - from)
  decodeInts(codes, from, to, 1, target)
  decodeNumbers(bytes.subarray(aligned(restsEnd)), from, to, times)
  const values = Array.from(times, (time, i) => {
    const rest = words[target[i] as number]
    return rest === undefined ? null : formatSlotId({ slotAt: first + time, rest })
  })
  const texts = toTexts(values)
  target.set(texts.codes)
  return texts.dictionary
}
