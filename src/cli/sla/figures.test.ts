import { describe, expect, test } from 'vitest'
import { durationInWords, percentText, periodText, sheetTime } from './figures.ts'

describe('a percentage', () => {
  test.each([
    [100, '100.000 %'],
    [99.9999999, '99.999 %'],
    [100 - 1e-13, '99.999 %'],
    [99.9996, '99.999 %'],
    [64.1, '64.100 %'],
    [99.95, '99.950 %'],
    [0, '0.000 %'],
    [null, 'no data'],
  ])('%s is shown as %s, never rounded up', (value, text) => {
    expect(percentText(value)).toBe(text)
  })
})

test.each([
  [0, '0 s'],
  [0.2, '< 1 s'],
  [59.6, '1 min'],
  [3661, '1 h 1 min 1 s'],
  [2681999.999, '745 h'],
  [7200, '2 h'],
])('%s seconds are shown as %s', (seconds, text) => {
  expect(durationInWords(seconds)).toBe(text)
})

test('times are local with their offset, also in a repeated hour', () => {
  expect(sheetTime('2026-10-25T00:30:00.000Z', 'Europe/Berlin')).toBe('2026-10-25 02:30:00 +02:00')
  expect(sheetTime('2026-10-25T01:30:00.000Z', 'Europe/Berlin')).toBe('2026-10-25 02:30:00 +01:00')
  expect(sheetTime('2026-10-25T01:30:00.000Z', 'UTC')).toBe('2026-10-25 01:30:00 UTC')
})

test('a month is shown by name, and another window by its ends', () => {
  const window = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-02T23:59:59.999Z', timezone: 'UTC', partial: false }
  expect(periodText({ ...window, month: '2026-10' })).toBe('October 2026')
  expect(periodText({ ...window, month: null })).toBe('2026-10-01 00:00:00 UTC to 2026-10-02 23:59:59 UTC')
})
