import { absentInt } from '../kernels/numbers.ts'
import { codeOf, type Texts } from '../kernels/texts.ts'

/** A column of an answer: numbers, where NaN means absent, texts, or lists of either, whose items follow each other. */
export type NativeColumn =
  | { readonly kind: 'numbers'; readonly numbers: Float64Array }
  | { readonly kind: 'texts'; readonly texts: Texts }
  | { readonly kind: 'lists'; readonly lengths: Float64Array; readonly items: NativeColumn }

export type ColumnBlock = { readonly count: number; readonly columns: readonly NativeColumn[] }

/** Decodes an answer in ClickHouse's format Native: blocks of rows, column by column. */
export function decodeNative(bytes: Uint8Array): ColumnBlock {
  const source = byteSource(bytes)
  const builders: ColumnBuilder[] = []
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
  }
  return { count, columns: builders.map((builder) => builder.column()) }
}

type ByteSource = {
  isAtEnd(): boolean
  varint(): number
  text(): string
  /** The next bytes, not copied. */
  take(length: number): DataView
}

type ColumnBuilder = { read(source: ByteSource, rows: number): void; column(): NativeColumn }

function builderOf(type: string): ColumnBuilder {
  const number = numberTypes[type]
  if (number) return numberBuilder(number, false)
  if (type === 'String') return textBuilder(false)
  const [, wrapper, inner = ''] = /^(Nullable|Array)\((.+)\)$/.exec(type) ?? []
  if (wrapper === 'Array') return listBuilder(builderOf(inner))
  const nullable = numberTypes[inner]
  if (wrapper === 'Nullable' && nullable) return numberBuilder(nullable, true)
  if (wrapper === 'Nullable' && inner === 'String') return textBuilder(true)
  throw new Error(`A column of the type ${type} is not expected.`)
}

type NumberType = { readonly width: number; readonly at: (view: DataView, offset: number) => number }

const numberTypes: Readonly<Record<string, NumberType>> = {
  UInt8: { width: 1, at: (view, offset) => view.getUint8(offset) },
  UInt16: { width: 2, at: (view, offset) => view.getUint16(offset, true) },
  UInt32: { width: 4, at: (view, offset) => view.getUint32(offset, true) },
  Int64: { width: 8, at: (view, offset) => view.getInt32(offset + 4, true) * 2 ** 32 + view.getUint32(offset, true) },
  UInt64: { width: 8, at: (view, offset) => view.getUint32(offset + 4, true) * 2 ** 32 + view.getUint32(offset, true) },
  Float64: { width: 8, at: (view, offset) => view.getFloat64(offset, true) },
}

function numberBuilder({ width, at }: NumberType, nullable: boolean): ColumnBuilder {
  const blocks: Float64Array[] = []
  return {
    read(source, rows) {
      const nulls = nullable ? source.take(rows) : null
      const view = source.take(rows * width)
      const numbers = new Float64Array(rows)
      for (let row = 0; row < rows; row++) numbers[row] = nulls?.getUint8(row) ? Number.NaN : at(view, row * width)
      blocks.push(numbers)
    },
    column: () => ({ kind: 'numbers', numbers: joined(blocks, Float64Array) }),
  }
}

function textBuilder(nullable: boolean): ColumnBuilder {
  const blocks: Int32Array[] = []
  const codeByWord = new Map<string, number>()
  return {
    read(source, rows) {
      const nulls = nullable ? source.take(rows) : null
      const codes = new Int32Array(rows)
      for (let row = 0; row < rows; row++) {
        const text = source.text()
        codes[row] = nulls?.getUint8(row) ? absentInt : codeOf(text, codeByWord)
      }
      blocks.push(codes)
    },
    column: () => ({ kind: 'texts', texts: { dictionary: [...codeByWord.keys()], codes: joined(blocks, Int32Array) } }),
  }
}

function listBuilder(items: ColumnBuilder): ColumnBuilder {
  const blocks: Float64Array[] = []
  return {
    read(source, rows) {
      const ends = source.take(rows * 8)
      const lengths = new Float64Array(rows)
      let last = 0
      for (let row = 0; row < rows; row++) {
        const end = ends.getUint32(row * 8, true)
        lengths[row] = end - last
        last = end
      }
      blocks.push(lengths)
      items.read(source, last)
    },
    column: () => ({ kind: 'lists', lengths: joined(blocks, Float64Array), items: items.column() }),
  }
}

function joined<Values extends Float64Array | Int32Array>(blocks: readonly Values[], of: new (length: number) => Values): Values {
  const [only] = blocks
  if (blocks.length === 1 && only) return only
  const all = new of(blocks.reduce((sum, block) => sum + block.length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}

function byteSource(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const advance = (length: number): number => {
    const start = at
    at += length
    if (at > buffer.length) throw new Error('The answer of the server is cut off.')
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
      return new DataView(buffer.buffer, buffer.byteOffset + start, length)
    },
  }
}
