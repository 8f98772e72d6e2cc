import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { absentInt, type Scale } from '../../kernels/numbers.ts'
import { toTexts } from '../../kernels/texts.ts'
import { slotId } from '../../slot-id.ts'
import { decodeInts, decodeNumbers, encodeNumbers, holdsInts, numberReader } from './number-codec.ts'
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

test('a column of any numbers is read back, as a whole and in parts', () => {
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

test('single numbers of a column without gaps are read', () => {
  fc.assert(
    fc.property(columns, (numbers) => {
      const present = numbers.filter((number) => !Number.isNaN(number))
      fc.pre(present.length > 0)
      const numberAt = numberReader(encodeNumbers(Float64Array.from(present)))
      expect(present.map((_, i) => numberAt(i))).toEqual(present)
    }),
  )
})

test('a column of integers, or of integer thousandths, is read as such', () => {
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

test('microseconds are encoded as integer thousandths, whatever their number and gaps', () => {
  for (const numbers of [[0.001, 1.5], [7], [Number.NaN], [12.125, Number.NaN], [200, 3], [70_000, 1.25], [Number.NaN, 255]])
    expect(holdsInts(encodeNumbers(Float64Array.from(numbers)), 1000)).toBe(true)
})

describe('a number takes', () => {
  const bytesEach = (numbers: readonly number[]) => (encodeNumbers(Float64Array.from(numbers)).length - 8) / numbers.length
  const many = Array.from({ length: 1000 }, (_, i) => i)

  test('four bytes for integer microseconds', () => expect(bytesEach(many.map((i) => i + 0.125))).toBe(4))
  test('one byte for small integers', () => expect(bytesEach(many.map((i) => i % 200))).toBe(1))
  test('eight bytes only if nothing else is exact', () => expect(bytesEach(many.map((i) => i / 7))).toBe(8))
  test('next to nothing if all are the same', () => expect(bytesEach(many.map(() => 1))).toBe(0.008))
})

describe('at the limits of each width', () => {
  const limits = [0xfe, 0xff, 0x100, 0xfffe, 0xffff, 0x10000, 0x7ffffffe, 0x7fffffff, 0x80000000, -1, -0x7fffffff, -0x80000000, -0x80000001]
  const both = limits.flatMap((limit) => [limit, limit / 1000])
  const read = (numbers: readonly number[]) => {
    const target = new Float64Array(numbers.length)
    decodeNumbers(encodeNumbers(Float64Array.from(numbers)), 0, numbers.length, target)
    return [...target]
  }

  test.each(both)('%d is not mistaken for a missing number', (limit) => {
    for (const numbers of [[limit, 0], [limit, Number.NaN, 0], [limit]]) expect(read(numbers)).toEqual(numbers)
  })

  test.each(both)('%d is read as an integer if it fits', (limit) => {
    for (const scale of [1, 1000] as const) {
      const bytes = encodeNumbers(Float64Array.of(limit, Number.NaN, 1))
      if (!holdsInts(bytes, scale)) continue
      const target = new Int32Array(3)
      decodeInts(bytes, 0, 3, scale, target)
      expect([...target]).toEqual([Math.round(limit * scale), absentInt, scale])
    }
  })

  test.each([
    [0xfe, 1],
    [0xff, 2],
    [0xfffe, 2],
    [0xffff, 4],
    [0x7fffffff, 4],
    [0x80000000, 8],
    [-0x7fffffff, 4],
    [-0x80000000, 8],
  ])('a column with %d takes %d bytes a number', (limit, bytes) => {
    expect(encodeNumbers(Float64Array.of(limit, 0)).length - 8).toBe(2 * bytes)
  })
})

test('a column of any texts is read back', () => {
  const anyTexts = fc.array(fc.option(fc.oneof(fc.string(), fc.uuid()), { nil: null }), { minLength: 1 })
  const uuids = fc.array(fc.option(fc.uuid(), { nil: null }), { minLength: 1 })
  const anySlotId = fc
    .tuple(
      fc.constantFrom('eu', 'us'),
      fc.oneof(
        fc.nat(1_000_000).map((minute) => minute * 60_000),
        fc.maxSafeNat().map((n) => n % 2 ** 48),
      ),
    )
    .map(([location, slotAt]) => slotId({ account: 'acme', checkId: 'homepage' }, location, slotAt))
  const slotIds = fc.array(fc.option(anySlotId, { nil: null }), { minLength: 1, maxLength: 100 })
  fc.assert(
    fc.property(fc.oneof(anyTexts, uuids, slotIds), fc.nat(), (texts, cut) => {
      const from = cut % texts.length
      const codes = new Int32Array(texts.length - from)
      const dictionary = decodeTexts(encodedColumn(encodeTexts(toTexts(texts))), from, texts.length, codes)
      expect(Array.from(codes, (code) => dictionary[code] ?? null)).toEqual(texts.slice(from))
    }),
    { numRuns: 300 },
  )
})

test('the ids of scheduled runs take 5 bytes each', () => {
  const ids = Array.from({ length: 3000 }, (_, i) =>
    slotId({ account: 'acme', checkId: 'homepage' }, ['eu', 'us', 'ap'][i % 3] ?? '', Date.UTC(2026, 10, 14) + i * 20_000),
  )
  expect(encodeTexts(toTexts(ids)).length / ids.length).toBeLessThan(5.1)
})
