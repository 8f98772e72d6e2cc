import { expect, test } from 'vitest'
import { escapeMarkdown, reportMarkdown } from './markdown.ts'

const report = {
  name: 'Homepage',
  from: '2026-11-07T00:00:00.000Z',
  to: '2026-11-09T00:00:00.000Z',
  series: [
    { name: 'Shop | *EU*', data: [{ took_p95: 12.3456, total: 2 }] },
    { name: 'Blog', data: [{ took_p95: null, total: 0 }] },
  ],
  metadata: { took_p95: { unit: 'milliseconds' } },
}

test('Markdown is a table with right-aligned figures and escaped names', () => {
  expect(reportMarkdown(report, '2 <checks>')).toBe(
    [
      '### 2 \\<checks\\>',
      '',
      '2026-11-07T00:00:00.000Z to 2026-11-09T00:00:00.000Z',
      '',
      '| name | took_p95 (ms) | total |',
      '| --- | ---: | ---: |',
      '| Shop \\| \\*EU\\* | 12.35 | 2 |',
      '| Blog | – | 0 |',
      '',
    ].join('\n'),
  )
})

test('availability is never rounded up to 100 %', () => {
  const series = [{ data: [{ availability: 99.9999 }] }]
  expect(reportMarkdown({ ...report, series, metadata: { availability: { unit: 'percentage' } } }, 'Shop')).toContain('| 99.99 |')
})

test('a report without rows says so', () => {
  expect(reportMarkdown({ ...report, series: [] }, 'Homepage')).toContain('No results.')
})

test.each([
  ['two\nlines\r\nand\ta tab', 'two lines and a tab'],
  ['`code` [link](x) <b> ~a~ \\', '\\`code\\` \\[link\\](x) \\<b\\> \\~a\\~ \\\\'],
  ['_emphasis_ but snake_case', '\\_emphasis\\_ but snake_case'],
  ['https://example.com www.example.com', 'https\\://example.com www\\.example.com'],
  ['@team fixes #12', '@<!-- -->team fixes #<!-- -->12'],
  ['&lt;', '\\&lt;'],
])('%j is escaped to render literally', (text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped)
})
