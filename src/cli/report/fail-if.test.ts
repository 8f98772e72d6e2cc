import { describe, expect, test } from 'vitest'
import { describeMatches, matchesOf, parseCondition } from './fail-if.ts'

const report = {
  name: 'Homepage',
  from: '2026-11-07T00:00:00.000Z',
  to: '2026-11-09T00:00:00.000Z',
  series: [
    { runLocation: 'eu-west-1', data: [{ runLocation: 'eu-west-1', took_p95: 800, 'took_p95 before': 900 }] },
    { runLocation: 'us-east-1', data: [{ runLocation: 'us-east-1', took_p95: null, 'took_p95 before': null }] },
  ],
  metadata: { took_p95: { unit: 'milliseconds' } },
}
const matched = (...conditions: readonly string[]) => matchesOf(report, conditions.map(parseCondition))
const failure = (message: string) => expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) })

describe('a condition', () => {
  test.each([
    ['took_p95 > 799.9', 1],
    ['took_p95>800', 0],
    ['took_p95 >= 800', 1],
    ['took_p95 < 800', 0],
    ['took_p95 < 800.1', 1],
    ['took_p95 <= 799', 0],
    ['took_p95 >= 801', 0],
    ['took_p95<=800', 1],
    ['took_p95 == 800', 1],
    ['took_p95 != 800', 0],
    ['took_p95 != -1', 1],
    ['took_p95 before > 800', 1],
    ['runLocation == eu-west-1', 1],
    ["runLocation != 'eu-west-1'", 1],
    ['runLocation == "nowhere at all"', 0],
  ])('%s matches %i row(s), and never a null', (text, count) => {
    expect(matched(text)).toHaveLength(count)
  })
  test.each(['', 'took_p95', 'took_p95 >', '> 800', 'took_p95 = 800', 'took_p95 > fast', 'took_p95 > 800 ms'])(
    'is rejected as %j',
    (text) => {
      expect(() => parseCondition(text)).toThrow(failure('is invalid'))
    },
  )
  test.each([
    ['took_p95 is slow', 'Use a column, one of >= <= == != > <, and a value: responseTime_p95 > 800.'],
    ['took_p95 >= fast', '>= requires a number.'],
    ['took_p95 < 1e3', '< requires a number.'],
  ])('is rejected as %s with a hint', (text, words) => {
    const message = `--fail-if ${JSON.stringify(text)} is invalid${words.startsWith('Use') ? '. ' : ': '}${words}`
    expect(() => parseCondition(text)).toThrow(expect.objectContaining({ exitCode: 2, message }))
  })
  test.each([
    [true, 'isUp == true', 1],
    [true, 'isUp != true', 0],
    [false, 'isUp == true', 0],
    [200, 'isUp == 200.0', 1],
    ['200', 'isUp == 200.0', 0],
    ['', 'isUp == ""', 1],
    ["it's", 'isUp == "it\'s"', 1],
  ])('on the cell %j: %s matches %i row(s)', (cell, text, count) => {
    const one = { ...report, series: [{ data: [{ isUp: cell }] }], metadata: {} } as never
    expect(matchesOf(one, [parseCondition(text)])).toHaveLength(count)
  })
  test('cannot order booleans', () => {
    const one = { ...report, series: [{ data: [{ isUp: true }, { isUp: null }] }], metadata: {} } as never
    expect(() => matchesOf(one, [parseCondition('isUp >= 1')])).toThrow(
      failure('--fail-if "isUp >= 1": isUp is not a number, so >= does not apply. Use == or !=.'),
    )
  })
  test('suggests the nearest columns for an unknown one', () => {
    expect(() => matched('took_p59 > 1')).toThrow(failure('the report has no column took_p59. Nearest: took_p95'))
  })
  test('cannot order text', () => {
    expect(() => matched('runLocation > 1')).toThrow(failure('runLocation is not a number'))
  })
  test('may use a metric of a report without rows', () => {
    expect(matchesOf({ ...report, series: [] }, [parseCondition('took_p95 > 1')])).toEqual([])
  })
})

describe('the description of matches', () => {
  test('identifies each row', () => {
    expect(describeMatches(matched('took_p95 > 1'), report)).toBe('Failed: took_p95 > 1: runLocation eu-west-1, took_p95 800\n')
  })
  test('has one line for each row, whatever its name contains', () => {
    const named = { ...report, series: [{ name: 'Shop\n::error::x', data: [{ took_p95: 900 }] }] }
    const text = describeMatches(matchesOf(named, [parseCondition('took_p95 > 1')]), named)
    expect(text).toBe('Failed: took_p95 > 1: name Shop ::error::x, took_p95 900\n')
  })
  test('identifies a row by status code, without other figures', () => {
    const coded = { ...report, series: [{ data: [{ statusCode: 503, hourOfDay: 4, total: 2, took_p95: 900 }] }] }
    expect(describeMatches(matchesOf(coded, [parseCondition(' took_p95 > 1 ')]), coded)).toBe(
      'Failed: took_p95 > 1: statusCode 503, took_p95 900\n',
    )
  })
  test.each([
    [20, 20],
    [21, 21],
  ])('has for %i rows %i lines', (count, lines) => {
    const rows = Array.from({ length: count }, () => ({ took_p95: 900 }))
    const many = { ...report, series: [{ data: rows }] }
    const text = describeMatches(matchesOf(many, [parseCondition('took_p95 > 1')]), many)
    expect(text.split('\n')).toHaveLength(lines + 1)
    expect(text.includes('more rows')).toBe(count > 20)
  })
  test('is limited in length', () => {
    const [match] = matched('took_p95 > 1')
    const lines = describeMatches(
      Array.from({ length: 50 }, () => match).filter((one) => one !== undefined),
      report,
    ).split('\n')
    expect(lines.slice(-2)).toEqual(['Failed: 30 more rows.', ''])
  })
})
