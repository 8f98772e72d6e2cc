import { expect, test } from 'vitest'
import { calm } from '../../../../test/support/results.ts'
import { memoryPart } from '../../query/parts/memory-part.ts'
import { orderedPart } from '../../query/parts/merged-part.ts'
import { definePart, type Part } from '../../query/parts/part.ts'
import type { StoredResult } from '../../query/parts/stored-result.ts'
import type { CheckRef, Position, ResultsQuery } from '../../store.ts'
import { resultsAfter, wholeResults } from './whole-results.ts'

const check: CheckRef = { account: 'acme', checkId: 'homepage' }
const instant = Date.UTC(2026, 10, 7)
const count = 4000
const limit = 10
const columns = 12

const idOf = (i: number) => `r${String(i).padStart(5, '0')}`
const results: readonly StoredResult[] = Array.from({ length: count }, (_, i) => ({
  ...calm,
  id: idOf(i),
  startedAt: instant,
  runLocation: 'eu',
  values: { dns: i },
  pages: [],
}))
const everyOther = (first: number) => memoryPart(results.filter((_, i) => i % 2 === first))
const positionOf = (i: number): Position => ({ startedAt: instant, runLocation: 'eu', id: idOf(i) })
const query: ResultsQuery = {
  check,
  window: { from: 0, to: instant },
  location: null,
  hasFailures: null,
  before: positionOf(2500),
  rowPage: { offset: 0, limit },
}

const shapes: Readonly<Record<string, (counted: (part: Part) => Part) => Part>> = {
  'a sealed day': (counted) => counted(memoryPart(results)),
  'segments that overlap': (counted) => orderedPart([counted(everyOther(0)), counted(everyOther(1))]),
}

for (const [name, partOf] of Object.entries(shapes)) {
  test(`a page within one instant decodes no more than its rows: ${name}`, () => {
    const { counted, decoded } = countDecoded()
    const part = partOf(counted)
    const before = decoded()
    const page = wholeResults(query, [{ count: () => part.count, part: () => part }])
    expect(page.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, i) => idOf(2499 - i)))
    expect(decoded() - before).toBeLessThan(columns * limit + 3 * columns * Math.log2(count))
  })

  test(`a batch of a scan within one instant decodes no more than its rows: ${name}`, () => {
    const { counted, decoded } = countDecoded()
    const part = partOf(counted)
    const before = decoded()
    const batch = resultsAfter({ check, after: positionOf(2500), limit }, [{ count: () => part.count, part: () => part }])
    expect(batch.map(({ id }) => id)).toEqual(Array.from({ length: limit }, (_, i) => idOf(2501 + i)))
    expect(decoded() - before).toBeLessThan(columns * limit + 3 * columns * Math.log2(count))
  })
}

/** Counts the entries that parts and their slices decode. */
function countDecoded() {
  let decoded = 0
  const counted = (part: Part): Part => {
    const counting =
      <Rest extends readonly unknown[], Filled>(fill: (...rest: Rest) => Filled) =>
      (...rest: Rest): Filled => {
        decoded += (rest.at(-1) as Int32Array).length
        return fill(...rest)
      }
    const { count, span, measured, lengthOf, holdsInts } = part
    return definePart({
      count,
      span,
      measured,
      lengthOf,
      holdsInts,
      slice: (from, to) => counted(part.slice(from, to)),
      fill: counting(part.fill),
      fillInts: counting(part.fillInts),
      fillTexts: counting(part.fillTexts),
    })
  }
  return { counted, decoded: () => decoded }
}
