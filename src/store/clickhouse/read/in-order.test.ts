import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grouped } from '../../../collections/lists.ts'
import { columnsByCheck, resultsByCheck } from './in-order.ts'
import type { LoadedColumns } from './loaded-part.ts'

type Row = { readonly time: number; readonly flags?: number; readonly pages?: readonly number[] }
/** A block of the server's response: rows of one part of the table. */
type Block = { readonly part: number; readonly rows: readonly Row[] }

function loaded(blocks: readonly Block[]) {
  const rows = blocks.flatMap(({ part, rows }) => rows.map((row) => ({ ...row, part })))
  let end = 0
  const all: LoadedColumns = {
    count: rows.length,
    numbers: new Map([
      ['time', Float64Array.from(rows, ({ time }) => time)],
      ['flags', Float64Array.from(rows, ({ flags = 0 }) => flags)],
      ['part', Float64Array.from(rows, ({ part }) => part)],
      ['pages', Float64Array.from(rows, ({ pages = [] }) => pages.length)],
      ['p:size', Float64Array.from(rows.flatMap(({ pages = [] }) => pages))],
    ]),
    texts: new Map([['location', { dictionary: rows.map(({ time }) => `at ${time}`), codes: Int32Array.from(rows.keys()) }]]),
  }
  return { all, blockEnds: blocks.map(({ rows }) => (end += rows.length)) }
}

function ordered(blocks: readonly Block[]) {
  const { all, blockEnds } = loaded(blocks)
  const [only] = resultsByCheck(all, blockEnds)?.values() ?? []
  if (!only) return null
  const { numbers, texts } = only
  const { dictionary, codes } = texts.get('location') ?? { dictionary: [], codes: [] }
  return {
    times: [...(numbers.get('time') ?? [])],
    sizes: [...(numbers.get('p:size') ?? [])],
    locations: Array.from(codes, (code) => dictionary[code]),
  }
}

const at = (...times: readonly number[]): readonly Row[] =>
  times.map((time) => ({ time, pages: Array.from({ length: time % 3 }, () => time) }))

describe('rows as returned by the server', () => {
  test('are sorted, with their texts and pages', () => {
    const rows = fc.uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(rows, fc.infiniteStream(fc.nat(4)), (times, numbers) => {
        const byPart = grouped(
          times.toSorted((a, b) => a - b),
          () => numbers.next().value as number,
        )
        const blocks = [...byPart].flatMap(([part, own]) => {
          const half = own.length >> 1
          return [own.slice(half), own.slice(0, half)].map((some) => ({ part, rows: at(...some) }))
        })
        const sorted = times.toSorted((a, b) => a - b)
        expect(ordered(blocks)).toEqual({
          times: sorted,
          sizes: sorted.flatMap((time) => Array(time % 3).fill(time)),
          locations: sorted.map((time) => `at ${time}`),
        })
      }),
    )
  })

  test('are sorted, even if the server has joined blocks', () => {
    expect(ordered([{ part: 1, rows: at(5, 6, 1, 2) }])?.times).toEqual([1, 2, 5, 6])
  })

  test('of one part are distinct results, even if they start at the same time', () => {
    expect(ordered([{ part: 1, rows: at(1, 2, 2, 3) }])?.times).toEqual([1, 2, 2, 3])
  })

  test.each([
    [
      'rows of two parts start at the same time',
      [
        { part: 1, rows: at(1, 2) },
        { part: 2, rows: at(2, 3) },
      ],
    ],
    [
      'rows of two parts in one block do',
      [
        { part: 1, rows: at(1, 2) },
        { part: 2, rows: [] },
        { part: 2, rows: at(2) },
      ],
    ],
    [
      'parts overlap, too',
      [
        { part: 1, rows: at(1, 5, 9) },
        { part: 2, rows: at(4, 5, 6) },
      ],
    ],
    ['a row is void', [{ part: 1, rows: [{ time: 1, flags: 128 }] }]],
  ])('are ambiguous if %s', (_, blocks) => {
    expect(ordered(blocks)).toBeNull()
  })

  test('are distinguished by their checks', () => {
    const { all, blockEnds } = loaded([
      { part: 1, rows: at(1, 7) },
      { part: 2, rows: at(3, 4) },
    ])
    const withChecks = { ...all, numbers: new Map([...all.numbers, ['check', Float64Array.of(0, 1, 0, 1)]]) }
    const times = (byCheck: ReadonlyMap<number, LoadedColumns> | null) =>
      [...(byCheck?.values() ?? [])].map(({ numbers }) => [...(numbers.get('time') ?? [])])
    expect(times(resultsByCheck(withChecks, blockEnds))).toEqual([
      [1, 3],
      [4, 7],
    ])
    const inOrder = { ...all, numbers: new Map([...all.numbers, ['check', Float64Array.of(0, 0, 1, 1)]]) }
    expect(times(columnsByCheck(inOrder))).toEqual([
      [1, 7],
      [3, 4],
    ])
  })
})
