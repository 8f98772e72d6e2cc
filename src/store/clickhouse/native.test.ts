import { expect, test } from 'vitest'
import { decodeNative } from './native.ts'
import { createRowWriter } from './row-binary.ts'

/** A block in the Native format, whose values are written as in RowBinary, column by column. */
function block(rows: number, columns: readonly (readonly [type: string, (writer: ReturnType<typeof createRowWriter>) => void])[]): Buffer {
  const writer = createRowWriter()
  writer.uint8(columns.length)
  writer.uint8(rows)
  for (const [i, [type, write]] of columns.entries()) {
    writer.text(`c${i}`)
    writer.text(type)
    write(writer)
  }
  return Buffer.from(writer.written())
}

const texts = (words: readonly string[]) => (writer: ReturnType<typeof createRowWriter>) => {
  for (const word of words) writer.text(word)
}

test('blocks are joined column by column, and a text has the same code in all of them', () => {
  const bytes = Buffer.concat([
    block(2, [
      ['Int64', (writer) => [-1, 2 ** 52].forEach(writer.int64)],
      ['String', texts(['eu', '🌊'])],
    ]),
    block(0, [
      ['Int64', () => {}],
      ['String', () => {}],
    ]),
    block(1, [
      ['Int64', (writer) => writer.int64(7)],
      ['String', texts(['eu'])],
    ]),
  ])
  expect(decodeNative(bytes)).toEqual({
    count: 3,
    columns: [
      { kind: 'numbers', numbers: Float64Array.of(-1, 2 ** 52, 7) },
      { kind: 'texts', texts: { dictionary: ['eu', '🌊'], codes: Int32Array.of(0, 1, 0) } },
    ],
    blockEnds: [2, 2, 3],
  })
})

test('a missing number is NaN, a missing text has its own code, and doubles keep their bits', () => {
  const nulls = (writer: ReturnType<typeof createRowWriter>, marks: readonly number[]) => marks.forEach(writer.uint8)
  const bytes = block(2, [
    [
      'Nullable(Float64)',
      (writer) => {
        nulls(writer, [0, 1])
        writer.float64(-0)
        writer.float64(0)
      },
    ],
    [
      'Nullable(String)',
      (writer) => {
        nulls(writer, [1, 0])
        texts(['', 'refused'])(writer)
      },
    ],
  ])
  expect(decodeNative(bytes).columns).toEqual([
    { kind: 'numbers', numbers: Float64Array.of(-0, Number.NaN) },
    { kind: 'texts', texts: { dictionary: ['refused'], codes: Int32Array.of(-0x80000000, 0) } },
  ])
})

test('items of lists are concatenated', () => {
  const bytes = block(3, [
    [
      'Array(Float64)',
      (writer) => {
        for (const end of [2n, 2n, 3n]) writer.uint64(end)
        for (const item of [1, 2, 3]) writer.float64(item)
      },
    ],
  ])
  expect(decodeNative(bytes).columns).toEqual([
    { kind: 'lists', lengths: Float64Array.of(2, 0, 1), items: { kind: 'numbers', numbers: Float64Array.of(1, 2, 3) } },
  ])
})

test('a truncated response, or one with another type, is rejected', () => {
  const whole = block(1, [['Float64', (writer) => writer.float64(1)]])
  expect(() => decodeNative(whole.subarray(0, -1))).toThrow('truncated')
  expect(() => decodeNative(block(1, [['Decimal(9, 2)', () => {}]]))).toThrow('Decimal(9, 2)')
  expect(decodeNative(new Uint8Array())).toEqual({ count: 0, columns: [], blockEnds: [] })
})
