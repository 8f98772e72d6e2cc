import { joinedValues } from '../kernels/joined-values.ts'
import { absentInt } from '../kernels/numbers.ts'
import { codeOf, type Texts } from '../kernels/texts.ts'

/** A column of an answer: numbers, where NaN means absent, texts, or lists of either, with the items of all rows in one column. */
export type NativeColumn =
  | { readonly kind: 'numbers'; readonly numbers: Float64Array }
  | { readonly kind: 'texts'; readonly texts: Texts }
  | { readonly kind: 'lists'; readonly lengths: Float64Array; readonly items: NativeColumn }

export type ColumnBlock = {
  readonly count: number
  readonly columns: readonly NativeColumn[]
  /** The end of each block that the server sent, as a row number. Rows of one block are adjacent in the table, too. */
  readonly blockEnds: readonly number[]
}

/** Decodes ClickHouse's Native format: blocks of rows, column by column. */
export function decodeNative(bytes: Uint8Array): ColumnBlock {
  const source = byteSource(bytes)
  const builders: ColumnBuilder[] = []
  const blockEnds: number[] = []
  let count = 0
  while (!source.isAtEnd()) {
    const columnCount = source.varint()
    const rows = source.varint()
    for (let column = 0; column < columnCount; column++) {
      source.text()
      const type = source.text()
      builders[column] ??= builderOf(type)
      if (rows > 0) builders[column]?.read(source, rows)
    }
    count += rows
    blockEnds.push(count)
  }
  return { count, columns: builders.map((builder) => builder.column()), blockEnds }
}

type ByteSource = {
  isAtEnd(): boolean
  varint(): number
  text(): string
  /** The next bytes, not copied. */
  take(length: number): Uint8Array
}

type ColumnBuilder = { read(source: ByteSource, rows: number): void; column(): NativeColumn }

function builderOf(type: string): ColumnBuilder {
  const number = numberType(type)
  if (number) return numberBuilder(number, false)
  if (type === 'String') return textBuilder(false)
  const [, wrapper, inner = ''] = /^(Nullable|Array)\((.+)\)$/.exec(type) ?? []
  if (wrapper === 'Array') return listBuilder(builderOf(inner))
  const nullable = numberType(inner)
  if (wrapper === 'Nullable' && nullable) return numberBuilder(nullable, true)
  if (wrapper === 'Nullable' && inner === 'String') return textBuilder(true)
  throw new Error(`Unexpected column type: ${type}.`)
}

type NumberType = { readonly width: number; readonly read: (bytes: ArrayBuffer) => Float64Array }

/** Numbers are little-endian in the format, as in memory on the processors that Node is made for. */
const numberTypes = {
  UInt8: { width: 1, read: (bytes: ArrayBuffer) => new Float64Array(new Uint8Array(bytes)) },
  UInt16: { width: 2, read: (bytes: ArrayBuffer) => new Float64Array(new Uint16Array(bytes)) },
  UInt32: { width: 4, read: (bytes: ArrayBuffer) => new Float64Array(new Uint32Array(bytes)) },
  Int64: { width: 8, read: (bytes: ArrayBuffer) => wideNumbers(new Uint32Array(bytes), new Int32Array(bytes)) },
  UInt64: { width: 8, read: (bytes: ArrayBuffer) => wideNumbers(new Uint32Array(bytes), new Uint32Array(bytes)) },
  Float64: { width: 8, read: (bytes: ArrayBuffer) => new Float64Array(bytes) },
} satisfies Readonly<Record<string, NumberType>>
const numberType = (name: string): NumberType | undefined => (numberTypes as Readonly<Record<string, NumberType>>)[name]

/** 64-bit integers as doubles; every second 32-bit word is an upper one. */
function wideNumbers(words: Uint32Array, upper: Uint32Array | Int32Array): Float64Array {
  const numbers = new Float64Array(words.length / 2)
  for (let row = 0; row < numbers.length; row++) numbers[row] = (upper[2 * row + 1] as number) * 2 ** 32 + (words[2 * row] as number)
  return numbers
}

function numberBuilder({ width, read }: NumberType, nullable: boolean): ColumnBuilder {
  const blocks: Float64Array[] = []
  return {
    read(source, rows) {
      const nulls = nullable ? source.take(rows) : null
      const numbers = read(aligned(source.take(rows * width)))
      if (nulls) for (let row = 0; row < rows; row++) if (nulls[row] === 1) numbers[row] = Number.NaN
      blocks.push(numbers)
    },
    column: () => ({ kind: 'numbers', numbers: joinedValues(blocks, Float64Array) }),
  }
}

const aligned = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

function textBuilder(nullable: boolean): ColumnBuilder {
  const blocks: Int32Array[] = []
  const codeByWord = new Map<string, number>()
  return {
    read(source, rows) {
      const nulls = nullable ? source.take(rows) : null
      const codes = new Int32Array(rows)
      for (let row = 0; row < rows; row++) {
        const text = source.text()
        codes[row] = nulls?.[row] ? absentInt : codeOf(text, codeByWord)
      }
      blocks.push(codes)
    },
    column: () => ({ kind: 'texts', texts: { dictionary: [...codeByWord.keys()], codes: joinedValues(blocks, Int32Array) } }),
  }
}

function listBuilder(items: ColumnBuilder): ColumnBuilder {
  const blocks: Float64Array[] = []
  return {
    read(source, rows) {
      const ends = numberTypes.UInt64.read(aligned(source.take(rows * 8)))
      const lengths = new Float64Array(rows)
      let last = 0
      for (let row = 0; row < rows; row++) {
        const end = ends[row] as number
        lengths[row] = end - last
        last = end
      }
      blocks.push(lengths)
      items.read(source, last)
    },
    column: () => ({ kind: 'lists', lengths: joinedValues(blocks, Float64Array), items: items.column() }),
  }
}

function byteSource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const advance = (length: number): number => {
    const start = at
    at += length
    if (at > buffer.length) throw new Error('The server response is truncated.')
    return start
  }
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = buffer[advance(1)] as number
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  return {
    isAtEnd: () => at >= buffer.length,
    varint,
    text() {
      const length = varint()
      const start = advance(length)
      return buffer.toString('utf8', start, start + length)
    },
    take(length) {
      const start = advance(length)
      return buffer.subarray(start, start + length)
    },
  }
}
