import { describe, expect, test } from 'vitest'
import type { Contents } from '../../store/transfer/contents.ts'
import { answersReport, closingWords, counted, resultsReport } from './report.ts'

const check = { account: 'acme', checkId: 'shop' }
const at = Date.parse('2026-11-14')
const day = at / 86_400_000
const dayOf = (source: number, destination: number) => ({ check, day, source, destination })
const verified = { results: 1200, added: 0, missing: [], more: [] }

describe('the report of a comparison of results', () => {
  test.each([
    [{}, ['Compared all 1,200 results by check, start, location and id: none missing.']],
    [
      { results: 1, added: 1 },
      ['1 result more arrived since then and were copied.', 'Compared all 1 result by check, start, location and id: none missing.'],
    ],
    [
      { missing: [dayOf(1440, 1000)], more: [dayOf(1, 2000), dayOf(0, 1)] },
      [
        'Results are missing on 1 day:',
        '  shop of acme, 2026-11-14: 1,440 results there, 1,000 here',
        'On 2 days there are results that the source does not have:',
        '  shop of acme, 2026-11-14: 1 result there, 2,000 here',
        '  shop of acme, 2026-11-14: 0 results there, 1 here',
      ],
    ],
  ])('%j', (more, lines) => {
    expect(resultsReport({ ...verified, ...more })).toBe(`${lines.join('\n')}\n`)
  })

  test.each([
    [20, 20, undefined],
    [21, 20, '  and 1 more'],
  ])('lists %i days as %i', (days, shown, last) => {
    const lines = resultsReport({ ...verified, missing: Array.from({ length: days }, () => dayOf(1, 0)) }).split('\n')
    expect(lines.filter((line) => line.includes(' there, '))).toHaveLength(shown)
    expect(lines.find((line) => line.includes(' and '))).toBe(last)
  })
})

test('the report of a comparison of answers', () => {
  const unequal = [{ check, window: { from: at, to: at + 1 }, question: 'all figures of the window' }]
  expect(answersReport({ checks: 1, questions: 2000, unequal: [] })).toBe(
    'Compared 2,000 questions about 1 check: the answers are identical.\n',
  )
  expect(answersReport({ checks: 2, questions: 1, unequal })).toBe(
    [
      'Compared 1 question about 2 checks: 1 answers differ:',
      '  shop of acme, 2026-11-14T00:00:00.000Z to 2026-11-14T00:00:00.001Z: all figures of the window\n',
    ].join('\n'),
  )
})

describe('the next step', () => {
  const folder = { name: 'data', claim: () => null } as unknown as Contents
  const database = { name: 'tidemark of http://127.0.0.1:8123' } as unknown as Contents
  test('is a start from the folder once nothing uses the source any more', () => {
    expect(closingWords({ source: database, destination: folder, isReleased: true })).toBe(
      'To switch, start the server with --data data, and without store in its config file.',
    )
  })
  test('is another run before the start from the database, while the source is in use', () => {
    expect(closingWords({ source: folder, destination: database, isReleased: false })).toBe(
      [
        'New results in data are not copied: stop its servers and run this again before you switch.',
        'To switch, start the server with store: { clickhouse: … } in its config file, or with TIDEMARK_CLICKHOUSE_URL.',
      ].join('\n'),
    )
  })
})

test('counts have separators, and a plural', () => {
  expect([0, 1, 2, 1_000_000].map((count) => counted(count, 'day'))).toEqual(['0 days', '1 day', '2 days', '1,000,000 days'])
})
