import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { absentInt, type Scale } from '../../kernels/numbers.ts'
import { toTexts } from '../../kernels/texts.ts'
import { decodeInts, decodeNumbers, encodeNumbers, holdsInts } from './number-codec.ts'
import { decodeTexts, encodedColumn, encodeTexts } from './text-codec.ts'

const absent = fc.constant(Number.NaN)
const whole = (most: number) => fc.oneof(fc.integer({ min: 0, max: most }), absent)
const columns = fc.oneof(
  fc.array(whole(300), { minLength: 1 }),
  fc.array(whole(70_000), { minLength: 1 }),
  fc.array(fc.oneof(fc.integer(), absent), { minLength: 1 }),
  fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: 2 ** 31 }).map((micros) => micros / 1000),
      absent,
    ),
    { minLength: 1 },
  ),
  fc.array(fc.oneof(fc.double(), absent), { minLength: 1 }),
  fc.array(fc.constantFrom(7.25), { minLength: 1 }),
)

test('a column of any numbers is read as it was written, whole and in parts', () => {
  fc.assert(
    fc.property(columns, fc.nat(), fc.nat(), (numbers, a, b) => {
      const bytes = encodeNumbers(Float64Array.from(numbers))
      const [from, to] = [a % (numbers.length + 1), b % (numbers.length + 1)].sort((x, y) => x - y) as [number, number]
      const read = new Float64Array(to - from)
      const gaps = decodeNumbers(bytes, from, to, read)
      expect([...read]).toEqual(numbers.slice(from, to))
      if (read.some(Number.isNaN)) expect(gaps).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('a column that holds whole numbers, or whole thousandths, gives them as such', () => {
  fc.assert(
    fc.property(columns, fc.constantFrom<Scale[]>(1, 1000), fc.nat(), (numbers, scale, a) => {
      const bytes = encodeNumbers(Float64Array.from(numbers))
      if (!holdsInts(bytes, scale)) return
      const from = a % numbers.length
      const read = new Int32Array(numbers.length - from)
      decodeInts(bytes, from, numbers.length, scale, read)
      const expected = numbers.slice(from)
      expect(Array.from(read, (int) => (int === absentInt ? Number.NaN : int / scale))).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test('microseconds are held as whole thousandths, whatever their number and gaps', () => {
  for (const numbers of [[0.001, 1.5], [7], [Number.NaN], [12.125, Number.NaN], [200, 3], [70_000, 1.25], [Number.NaN, 255]])
    expect(holdsInts(encodeNumbers(Float64Array.from(numbers)), 1000)).toBe(true)
})

describe('what a number costs', () => {
  const bytesEach = (numbers: readonly number[]) => (encodeNumbers(Float64Array.from(numbers)).length - 8) / numbers.length
  const many = Array.from({ length: 1000 }, (_, i) => i)

  test('four bytes for whole microseconds', () => expect(bytesEach(many.map((i) => i + 0.125))).toBe(4))
  test('one byte for small whole numbers', () => expect(bytesEach(many.map((i) => i % 200))).toBe(1))
  test('eight bytes only where nothing else would be exact', () => expect(bytesEach(many.map((i) => i / 7))).toBe(8))
  test('next to nothing where all are the same', () => expect(bytesEach(many.map(() => 1))).toBe(0.008))
})

test('a column of any texts is read as it was written', () => {
  const anyTexts = fc.array(fc.option(fc.oneof(fc.string(), fc.uuid()), { nil: null }), { minLength: 1 })
  const uuids = fc.array(fc.option(fc.uuid(), { nil: null }), { minLength: 1 })
  fc.assert(
    fc.property(fc.oneof(anyTexts, uuids), (texts) => {
      const codes = new Int32Array(texts.length)
      const dictionary = decodeTexts(encodedColumn(encodeTexts(toTexts(texts))), 0, texts.length, codes)
      expect(Array.from(codes, (code) => dictionary[code] ?? null)).toEqual(texts)
    }),
    { numRuns: 300 },
  )
})
