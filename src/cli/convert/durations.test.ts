import { expect, test } from 'vitest'
import { dayMs, hourMs } from '../../time.ts'
import { configDuration, frequencyOf, parseDuration, timeoutTextOf } from './durations.ts'

test.each([
  ['0', 0],
  [' 90s ', 90_000],
  ['1m30s', 90_000],
  ['1.5h', 1.5 * hourMs],
  ['1y2w3d4h5m6s7ms', (365 + 14 + 3) * dayMs + 4 * hourMs + 306_007],
  ['2000us', 2],
  ['2000µs', 2],
  ['3000000ns', 3],
  ['', null],
  ['10', null],
  ['-1s', null],
  ['1s!', null],
  ['1 s', null],
  ['1s'.repeat(51), null],
])('the duration %j of another tool is %j ms', (text, ms) => {
  const parsed = parseDuration(text)
  expect(parsed === null ? null : Math.round(parsed * 1e6) / 1e6).toBe(ms)
})

test.each([
  [1, '1ms'],
  [1500, '1500ms'],
  [90_000, '90s'],
  [2 * 60_000, '2m'],
  [hourMs, '1h'],
  [36 * hourMs, '36h'],
  [2 * dayMs, '2d'],
])('%i ms are written in the config file as %s', (ms, text) => expect(configDuration(ms)).toBe(text))

test('an unsupported frequency becomes the nearest one, with the reason', () => {
  expect([10_000, 30 * dayMs].map((ms) => frequencyOf(ms))).toEqual([
    { frequency: '10s', why: null },
    { frequency: '30d', why: null },
  ])
  expect(frequencyOf(9999)).toEqual({ frequency: '10s', why: 'It was every 9999ms; the shortest is 10s.' })
  expect(frequencyOf(31 * dayMs)).toEqual({ frequency: '30d', why: 'It was every 31d; the longest is 30d.' })
})

test('a timeout is from one second to an hour, or absent', () => {
  expect([null, 0, -1, 1, 1000, 1500, hourMs, 2 * hourMs].map(timeoutTextOf)).toEqual([null, null, null, '1s', '1s', '1500ms', '1h', '1h'])
})
