import { expect, test } from 'vitest'
import { reportCsv, reportTable, sparkline } from './format.ts'

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

test('CSV has a line per row with its group, full numbers, empty cells for null, and no formulas', () => {
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
