import { describe, expect, test } from 'vitest'
import { formatAttained, formatFigure, judgeFigure, judgeSlo } from './figure.ts'

describe('a figure', () => {
  test.each([
    [231.4, '231 ms'],
    [9999.4, '9999 ms'],
    [12_345, '12.3 s'],
    [3.44, '3.4 ms'],
    [0.256, '0.26 ms'],
    [0, '0 ms'],
  ])('%d milliseconds are %s', (value, text) => expect(formatFigure(value, 'milliseconds')).toBe(text))

  test.each([
    [100, '100 %'],
    [99.95, '99.95 %'],
    [99.5, '99.5 %'],
    [99.9999, '99.99 %'],
    [0.0001, '0.01 %'],
    [0, '0 %'],
  ])('%d percent are %s', (value, text) => expect(formatFigure(value, 'percentage')).toBe(text))

  test('scores have up to three decimals, and counts up to two', () => {
    expect(formatFigure(0.08712, 'score')).toBe('0.087')
    expect(formatFigure(12, 'count')).toBe('12')
    expect(formatFigure(1 / 3, 'count')).toBe('0.33')
  })

  test('a missing value is shown as no data, with an unknown tone', () => {
    expect(formatFigure(null, 'milliseconds')).toBe('no data')
    expect(judgeFigure(null, { warn: 1, bad: 2, better: 'low' })).toBe('unknown')
  })

  test('without thresholds the tone is plain', () => {
    expect(judgeFigure(99, { warn: null, bad: null, better: 'high' })).toBe('plain')
  })

  test('where high is better, thresholds are lower limits', () => {
    const judge = (value: number) => judgeFigure(value, { warn: 99.9, bad: 99, better: 'high' })
    expect([100, 99.9, 99.89, 99, 98.9].map(judge)).toEqual(['passing', 'passing', 'degraded', 'degraded', 'failing'])
  })

  test('where low is better, thresholds are upper limits', () => {
    const judge = (value: number) => judgeFigure(value, { warn: 300, bad: 800, better: 'low' })
    expect([0, 300, 301, 800, 801].map(judge)).toEqual(['passing', 'passing', 'degraded', 'degraded', 'failing'])
  })

  test('one threshold is enough', () => {
    expect(judgeFigure(5, { warn: 3, bad: null, better: 'low' })).toBe('degraded')
    expect(judgeFigure(5, { warn: null, bad: 3, better: 'low' })).toBe('failing')
    expect(judgeFigure(2, { warn: null, bad: 3, better: 'low' })).toBe('passing')
  })
})

describe('an attained percentage', () => {
  test.each([
    [99.899, '99.89 %'],
    [99.9, '99.9 %'],
    [99.95, '99.95 %'],
    [99.99999, '99.99 %'],
    [100, '100 %'],
    [0.001, '0.01 %'],
    [0, '0 %'],
    [null, 'no data'],
  ])('of %d is %s, never rounded up to its target', (value, text) => expect(formatAttained(value)).toBe(text))

  const slo = (met: boolean | null, hour: number | null, sixHours: number | null) =>
    judgeSlo({ attained: 99, met, burnRate: { '1h': hour, '6h': sixHours } })
  test('has a tone by whether the target is met, and by the recent and longer burn rates', () => {
    expect(slo(null, null, null)).toBe('unknown')
    expect(slo(false, 0, 0)).toBe('failing')
    expect(slo(true, 5, 1.1)).toBe('degraded')
    expect(slo(true, 5, 1)).toBe('passing')
    expect(slo(true, 1, 5)).toBe('passing')
    expect(slo(true, null, 5)).toBe('passing')
  })
})
