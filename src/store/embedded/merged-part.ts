import type { CheckRef } from '../store.ts'
import { joinedPart } from './joined-part.ts'
import { take } from './kernels/take.ts'
import { definePart, isPageColumn, type Part, pageStarts, textAt } from './part.ts'
import { inOrderOf, type StoredPosition } from './stored-result.ts'

/** Two parts whose results interleave, as one in order. */
export function mergedPart(check: CheckRef, first: Part, second: Part): Part {
  const span = { from: Math.min(first.span.from, second.span.from), to: Math.max(first.span.to, second.span.to) }
  return reorderedPart({ ...joinedPart([first, second]), span }, interleave(check, first, second))
}

/** The results of a part that stand at these rows, in their order. */
function reorderedPart(part: Part, order: Int32Array): Part {
  let pageOrder: Int32Array | null = null
  const orderOf = (column: string) => {
    if (!isPageColumn(column)) return order
    pageOrder ??= pagesOfRows(pageStarts(part.ints('pages')), order)
    return pageOrder
  }
  return definePart({
    count: order.length,
    span: part.span,
    measured: part.measured,
    slice: (from, to) => reorderedPart(part, order.subarray(from, to)),
    lengthOf: (column) => orderOf(column).length,
    fill(column, target) {
      const numbers = new Float64Array(part.lengthOf(column))
      const gaps = part.fill(column, numbers)
      target.set(take(numbers, orderOf(column)))
      return gaps
    },
    holdsInts: part.holdsInts,
    fillInts(column, scale, target) {
      const ints = new Int32Array(part.lengthOf(column))
      const gaps = part.fillInts(column, scale, ints)
      target.set(take(ints, orderOf(column)))
      return gaps
    },
    fillTexts(column, target) {
      const { dictionary, codes } = part.texts(column)
      target.set(take(codes, orderOf(column)))
      return dictionary
    },
  })
}

/** For each place of the merged order: the row of the first part, or the row of the second counted on from the first's end. */
function interleave(check: CheckRef, first: Part, second: Part): Int32Array {
  const order = new Int32Array(first.count + second.count)
  const before = comparison(check, first, second)
  let a = 0
  let b = 0
  for (let i = 0; i < order.length; i++) {
    const takeFirst = b >= second.count || (a < first.count && before(a, b))
    order[i] = takeFirst ? a++ : first.count + b++
  }
  return order
}

function comparison(check: CheckRef, first: Part, second: Part): (a: number, b: number) => boolean {
  const compare = inOrderOf(check)
  const [positionA, positionB] = [positions(first), positions(second)]
  const [timesA, timesB] = [first.numbers('time'), second.numbers('time')]
  return (a, b) => {
    const apart = (timesA[a] as number) - (timesB[b] as number)
    return (apart || compare(positionA(a), positionB(b))) < 0
  }
}

function positions(part: Part): (row: number) => StoredPosition {
  const [times, locations, ids] = [part.numbers('time'), part.texts('location'), part.texts('id')]
  return (row) => ({ startedAt: times[row] as number, runLocation: textAt(locations, row) ?? '', id: textAt(ids, row) })
}

function pagesOfRows(starts: Int32Array, order: Int32Array): Int32Array {
  const pages: number[] = []
  for (const row of order) for (let page = starts[row] as number; page < (starts[row + 1] as number); page++) pages.push(page)
  return Int32Array.from(pages)
}
