import { expect, test } from 'vitest'
import { bucketSpan, bucketUnder, type ChartLine, colourOf, type Drawing, mostLines, shadeNames, stacked } from './line.ts'

const gap = { times: [0, 100, 300], ends: [100, 200, 400] }
const line = (label: string, values: ChartLine['values']): ChartLine => ({ label, values, colour: 'series-1', shape: 'bars' })

test.each([
  [0, 0],
  [98, 0],
  [100, 1],
  [199, 1],
  [200, null],
  [298, null],
  [399, 2],
  [400, null],
  [-2, null],
])('the bucket at %i is %s', (at, index) => {
  expect(bucketUnder(gap, at)).toBe(index)
})

test('a position that rounds to the millisecond before a bucket is in it', () => {
  expect(bucketUnder(gap, 99)).toBe(1)
  expect(bucketUnder(gap, 299)).toBe(2)
})

test('a bucket has a span, and a missing one has none', () => {
  expect(bucketSpan(gap, 1)).toEqual({ from: 100, to: 200 })
  expect(bucketSpan(gap, 3)).toBeNull()
})

test('shades within a bucket are listed without duplicates, and those that only touch it are not', () => {
  const shades = [
    { label: 'Move', from: 50, to: 100 },
    { label: 'Patch', from: 100, to: 150 },
    { label: 'Patch', from: 160, to: 170 },
    { label: 'Later', from: 200, to: 300 },
  ]
  const drawing: Drawing = { ...gap, unit: 'milliseconds', from: 0, to: 400, lines: [], shades }
  expect(shadeNames(drawing, { from: 100, to: 200 })).toEqual(['Patch'])
  expect(shadeNames(drawing)).toEqual(['Move', 'Patch', 'Later'])
})

test('lines are stacked, and the highest is drawn first', () => {
  const piled = stacked([line('dns', [1, null, 3]), line('tcp', [10, 20, null]), line('wait', [100, 200, 300])])
  expect(piled.map(({ label, values }) => [label, values])).toEqual([
    ['wait', [111, 220, 303]],
    ['tcp', [11, 20, null]],
    ['dns', [1, null, 3]],
  ])
})

test('lines of a chart differ in colour or dash, up to the maximum number', () => {
  const looks = Array.from({ length: mostLines }, (_, i) => colourOf(i))
  expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(mostLines)
  expect([looks[0], looks[5], looks[6]]).toEqual([{ colour: 'series-1' }, { colour: 'series-6' }, { colour: 'series-1', dash: [6, 4] }])
})
