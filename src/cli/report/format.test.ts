import { describe, expect, test } from 'vitest'
import { reportCsv, reportTable, rounded, sparkline, unitSuffix } from './format.ts'

const answered = {
  name: 'Homepage',
  from: '2026-11-07T00:00:00.000Z',
  to: '2026-11-09T00:00:00.000Z',
  series: [
    {
      runLocation: '=HYPERLINK("x")',
      data: [
        { period: '2026-11-07T00:00:00.000Z', took_p95: 12.3456, total: 2, success: 2, availability: 100 },
        { period: '2026-11-08T00:00:00.000Z', took_p95: null, total: 1, success: 0, availability: 0 },
        { period: '2026-11-09T00:00:00.000Z', took_p95: 24, total: 1, success: 1, availability: 100 },
      ],
    },
  ],
  metadata: { took_p95: { unit: 'milliseconds' }, availability: { unit: 'percentage' } },
}

test('CSV has a line per row with its group, full precision, empty cells for null, and no formulas', () => {
  expect(reportCsv(answered)).toBe(
    [
      'runLocation,period,took_p95,total,success,availability',
      `"'=HYPERLINK(""x"")",2026-11-07T00:00:00.000Z,12.3456,2,2,100`,
      `"'=HYPERLINK(""x"")",2026-11-08T00:00:00.000Z,,1,0,0`,
      `"'=HYPERLINK(""x"")",2026-11-09T00:00:00.000Z,24,1,1,100`,
      '',
    ].join('\r\n'),
  )
})

test('a table has units, right-aligned figures, and a sparkline for each metric', () => {
  const lines = reportTable(answered, 'Homepage').split('\n')
  expect(lines[3]).toBe('runLocation      period                    took_p95 (ms)  total  success  availability (%)')
  expect(lines[5]).toBe('=HYPERLINK("x")  2026-11-08T00:00:00.000Z              –      1        0                 0')
  expect(lines.slice(-3)).toEqual([
    '=HYPERLINK("x")  took_p95      ▁ █  12.35 to 24 ms',
    '=HYPERLINK("x")  availability  █▁█  0 to 100 %',
    '',
  ])
})

test('a report without rows says so', () => {
  expect(reportCsv({ ...answered, series: [] })).toBe('took_p95,availability\r\n')
  expect(reportTable({ ...answered, series: [] }, 'Homepage')).toContain('No results.')
})

test('a sparkline goes from the lowest value to the highest', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█')
  expect(sparkline([5, 5])).toBe('▄▄')
  expect(sparkline([])).toBe('')
})

test('with a range, a sparkline is scaled to it', () => {
  const range = { low: 0, high: 100 }
  expect(sparkline([0, 50, 100, 150, -50, null], range)).toBe('▁▅██▁ ')
  expect(sparkline([1, 2], { low: 3, high: 3 })).toBe('▄▄')
  expect(sparkline([null, 4, 8])).toBe(' ▁█')
})

test.each([
  [1, '1'],
  [12_345, '12345'],
  [9.87654, '9.877'],
  [-9.87654, '-9.877'],
  [10.006, '10.01'],
  [-12.5, '-12.50'],
  [null, '–'],
  [undefined, '–'],
  ['eu-west-1', 'eu-west-1'],
  [true, 'true'],
])('%s is shown as %s', (cell, text) => {
  expect(rounded(cell)).toBe(text)
})

test.each([
  [99.9999, 'percentage', '99.99'],
  [99.993, 'percentage', '99.99'],
  [99.957, 'percentage', '99.96'],
  [100, 'percentage', '100'],
  [99.9999, 'milliseconds', '100.00'],
])('%d %s is never rounded up to 100: %s', (value, unit, text) => {
  expect(rounded(value, unit)).toBe(text)
  const metadata = { figure: { unit } }
  const series = [{ data: [{ figure: value, 'figure before': value }] }]
  expect(reportTable({ ...answered, series, metadata } as never, 'Homepage')).toMatch(new RegExp(`\\n *${text} +${text}\\n`))
})

test('a unit is shown if it has a symbol', () => {
  const metadata = { took: { unit: 'milliseconds' }, loss: { unit: 'percentage' }, hops: { unit: 'count' } } as const
  const columns = ['took', 'took before', 'loss', 'hops', 'runLocation']
  expect(columns.map((column) => unitSuffix({ ...answered, metadata }, column))).toEqual([' (ms)', ' (ms)', ' (%)', '', ''])
})

describe('the sparklines of a table', () => {
  const data = [{ took: 3 }, { took: 2 }, { took: 1 }]
  const sparks = (series: readonly object[], metadata: object = { took: { unit: 'milliseconds' } }) =>
    reportTable({ ...answered, series, metadata } as never, 'Homepage')
      .split('\n\n')
      .slice(2)
      .join('')
      .split('\n')
      .slice(0, -1)
  test('are in order of time, although raw results are listed newest first', () => {
    expect(sparks([{ data }])).toEqual(['took  ▁▅█  1 to 3 ms'])
    expect(sparks([{ data: data.map((row, i) => ({ period: `2026-11-0${i + 1}`, ...row })) }])).toEqual(['took  █▅▁  1 to 3 ms'])
  })
  test('need at least two values', () => {
    expect(sparks([{ data: data.slice(1) }])).toEqual(['took  ▁█  1 to 2 ms'])
    expect(sparks([{ data: data.slice(2) }])).toEqual([])
    expect(sparks([{ data: [{ took: 1 }, { took: null }] }])).toEqual([])
  })
  test('show one figure if all are the same, and the labels of their group', () => {
    const hops = { took: { unit: 'milliseconds' }, hops: { unit: 'count' } }
    const rows = [
      { took: 1.5, hops: 4 },
      { took: 2, hops: 4 },
    ]
    expect(sparks([{ runLocation: 'eu', statusCode: 200, data: rows }], hops)).toEqual([
      'eu 200  took  █▁  1.500 to 2 ms',
      'eu 200  hops  ▄▄  4',
    ])
  })
  test('are limited to the last 120 values', () => {
    const many = Array.from({ length: 130 }, (_, i) => ({ period: String(i), took: i < 10 ? 1000 : i }))
    const [line = ''] = sparks([{ data: many }])
    expect(line).toMatch(/^took {2}▁.{118}█ {2}10 to 129 ms$/)
  })
})

test('a table has no control characters of names, which could change the terminal', () => {
  const rows = [answered.series[0]?.data ?? [], answered.series[0]?.data ?? []]
  const series = rows.map((data, i) => ({ name: `Shop ${i}\u001b[31m\u0007`, data }))
  expect(reportTable({ ...answered, series }, 'Shop\u001b[31m').replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})
