import { take } from '../kernels/take.ts'
import type { CheckRef } from '../store.ts'
import { joinedPart } from './joined-part.ts'
import { definePart, isPageColumn, type Part, pageStarts, textAt } from './part.ts'
import { inOrderOf, type StoredPosition } from './stored-result.ts'

/** Parts, each of them in order, as one in order. */
export function orderedPart(check: CheckRef, parts: readonly Part[]): Part {
  const inTurn = parts.toSorted((a, b) => a.span.from - b.span.from)
  const joined = joinedPart(inTurn)
  if (inTurn.every(({ span }, i) => i === 0 || (inTurn[i - 1] as Part).span.to < span.from)) return joined
  const span = { from: joined.span.from, to: Math.max(...parts.map(({ span }) => span.to)) }
  return reorderedPart({ ...joined, span }, rowsInOrder(check, joined))
}

/** The results of a part that stand at these rows, in their order. */
export function reorderedPart(part: Part, order: Int32Array): Part {
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

function rowsInOrder(check: CheckRef, part: Part): Int32Array {
  const compare = inOrderOf(check)
  const times = part.numbers('time')
  const position = positions(part)
  const rows = Array.from(times.keys())
  return Int32Array.from(rows.sort((a, b) => (times[a] as number) - (times[b] as number) || compare(position(a), position(b))))
}

/** When and where the result of a row was made, and its id. */
function positions(part: Part): (row: number) => StoredPosition {
  const [times, locations, ids] = [part.numbers('time'), part.texts('location'), part.texts('id')]
  return (row) => ({ startedAt: times[row] as number, runLocation: textAt(locations, row) ?? '', id: textAt(ids, row) })
}

function pagesOfRows(starts: Int32Array, order: Int32Array): Int32Array {
  const pages: number[] = []
  for (const row of order) for (let page = starts[row] as number; page < (starts[row + 1] as number); page++) pages.push(page)
  return Int32Array.from(pages)
}
