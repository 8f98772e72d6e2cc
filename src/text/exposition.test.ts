import { describe, expect, test } from 'vitest'
import { type Family, familyHeader, histogramSamples, labelText, sample } from './exposition.ts'

const counter: Family = { name: 'a_results', type: 'counter', help: 'Results.' }
const info: Family = { name: 'a', type: 'info', help: 'What it is.' }
const times: Family = { name: 'a_seconds', type: 'histogram', unit: 'seconds', help: 'How long.' }

describe('the header of a family', () => {
  test.each([
    [counter, 'openmetrics', '# TYPE a_results counter\n# HELP a_results Results.\n'],
    [counter, 'text', '# HELP a_results_total Results.\n# TYPE a_results_total counter\n'],
    [info, 'openmetrics', '# TYPE a info\n# HELP a What it is.\n'],
    [info, 'text', '# HELP a_info What it is.\n# TYPE a_info gauge\n'],
    [times, 'openmetrics', '# TYPE a_seconds histogram\n# UNIT a_seconds seconds\n# HELP a_seconds How long.\n'],
    [times, 'text', '# HELP a_seconds How long.\n# TYPE a_seconds histogram\n'],
  ] as const)('%o in %s', (family, format, expected) => {
    expect(familyHeader(family, format)).toBe(expected)
  })
})

test('a sample has the suffix of its type, its labels, and its time in seconds', () => {
  expect(sample(counter, '', 3)).toBe('a_results_total 3\n')
  expect(sample(info, 'b="c"', 1)).toBe('a_info{b="c"} 1\n')
  expect(sample({ ...counter, type: 'gauge' }, 'b="c"', 0.5, 1_794_650_280_123)).toBe('a_results{b="c"} 0.5 1794650280.123\n')
})

test('the buckets of a histogram are cumulative, and its bounds have a decimal point', () => {
  expect(histogramSamples(times, 'b="c"', { bounds: [0.5, 1], buckets: [1, 2, 3], sum: 9.5 })).toBe(
    [
      'a_seconds_bucket{b="c",le="0.5"} 1',
      'a_seconds_bucket{b="c",le="1.0"} 3',
      'a_seconds_bucket{b="c",le="+Inf"} 6',
      'a_seconds_sum{b="c"} 9.5',
      'a_seconds_count{b="c"} 6\n',
    ].join('\n'),
  )
  expect(histogramSamples(times, '', { bounds: [], buckets: [0], sum: 0 })).toBe(
    'a_seconds_bucket{le="+Inf"} 0\na_seconds_sum 0\na_seconds_count 0\n',
  )
})

test('quotes, backslashes and line ends in labels are escaped', () => {
  expect(labelText({ a: 'say "x"', b: '\\n\n' })).toBe('a="say \\"x\\"",b="\\\\n\\n"')
})
