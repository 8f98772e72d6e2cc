import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check, fewResults } from '../../../../test/support/arbitrary-results.ts'
import { inOrder } from '../../../../test/support/oracle.ts'
import { calm } from '../../../../test/support/results.ts'
import { joinedPart } from './joined-part.ts'
import { memoryPart } from './memory-part.ts'
import { partWith } from './merged-part.ts'
import { definePart, type Part } from './part.ts'
import { resultsOf } from './results-of.ts'
import { type StoredResult, toStored } from './stored-result.ts'

const stored = (results: Parameters<typeof inOrder>[1]) => inOrder(check, results).map((result) => toStored({ check, result }).result)
const all = (part: Part) => resultsOf(check, part, Array(part.count).keys())

describe('a part with late results', () => {
  test('contains all of them in order, as a whole and in slices', () => {
    const isLate = fc.infiniteStream(fc.nat(9).map((n) => n === 0))
    fc.assert(
      fc.property(fewResults, isLate, fc.nat(), fc.nat(), (generated, late, a, b) => {
        const results = [...new Map(generated.map((result) => [result.id, result])).values()]
        const isOwn = results.map(() => !late.next().value)
        const merged = partWith(
          memoryPart(stored(results.filter((_, i) => isOwn[i]))),
          memoryPart(stored(results.filter((_, i) => !isOwn[i]))),
        )
        const expected = inOrder(check, results)
        expect(all(merged)).toEqual(expected)
        const [from, to] = [a % (results.length + 1), b % (results.length + 1)].sort((x, y) => x - y) as [number, number]
        expect(all(merged.slice(from, to))).toEqual(expected.slice(from, to))
      }),
      { numRuns: 25 },
    )
  })

  test('does not read the others if they are few', () => {
    const { part, longest } = measured(memoryPart(resultsOfDay(5000)))
    const late = memoryPart([{ ...resultsOfDay(1)[0], id: 'late', startedAt: 2500 } as StoredResult])
    const page = partWith(part, late).slice(2450, 2550)
    expect(all(page).filter(({ id }) => id === 'late')).toHaveLength(1)
    expect(longest()).toBeLessThanOrEqual(100)
  })
})

test('joined parts span their results, even if some are empty', () => {
  const day = memoryPart(resultsOfDay(3))
  const empty = memoryPart([])
  for (const parts of [
    [day, empty],
    [empty, day],
    [day.slice(0, 1), empty, day.slice(1, 3), empty],
  ])
    expect(joinedPart(parts)).toMatchObject({ count: 3, span: day.span })
})

test('joining slices of a part costs only what they contain, however large its dictionary is', () => {
  let reads = 0
  const words = Array.from({ length: 10_000 }, (_, i) => `word-${i}`)
  const dictionary = new Proxy(words, {
    get(target, property) {
      reads++
      return Reflect.get(target, property)
    },
  })
  const wide = (first: number, end: number): Part =>
    definePart({
      ...memoryPart([]),
      count: end - first,
      lengthOf: () => end - first,
      slice: (from, to) => wide(first + from, first + to),
      fillTexts(_, target) {
        for (let row = 0; row < target.length; row++) target[row] = first + row
        return dictionary
      },
    })
  const texts = joinedPart(Array.from({ length: 100 }, (_, i) => wide(7 * i, 7 * i + 1))).texts('id')
  expect(Array.from(texts.codes, (code) => texts.dictionary[code])).toEqual(Array.from({ length: 100 }, (_, i) => `word-${7 * i}`))
  expect(reads).toBeLessThan(1000)
})

function resultsOfDay(count: number): readonly StoredResult[] {
  return Array.from({ length: count }, (_, i) => ({ ...calm, id: `run-${i}`, startedAt: i, runLocation: 'eu', values: {}, pages: [] }))
}

/** A part that records the largest number of rows decoded at once. */
function measured(part: Part): { readonly part: Part; readonly longest: () => number } {
  let longest = 0
  const note = (length: number) => {
    longest = Math.max(longest, length)
  }
  const measuredPart = (own: Part): Part =>
    definePart({
      ...own,
      slice: (from, to) => measuredPart(own.slice(from, to)),
      fill(column, target) {
        note(target.length)
        return own.fill(column, target)
      },
      fillInts(column, scale, target) {
        note(target.length)
        return own.fillInts(column, scale, target)
      },
      fillTexts(column, target) {
        note(target.length)
        return own.fillTexts(column, target)
      },
    })
  return { part: measuredPart(part), longest: () => longest }
}
