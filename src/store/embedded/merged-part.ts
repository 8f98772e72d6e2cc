import type { CheckRef } from '../store.ts'
import { joinedPart } from './joined-part.ts'
import { take } from './kernels/take.ts'
import { definePart, isPageColumn, type Part, pageStarts, textAt } from './part.ts'
import { inOrderOf, type StoredPosition } from './stored-result.ts'

/** Two parts whose results interleave, as one in order. */
export function mergedPart(check: CheckRef, first: Part, second: Part): Part {
  const order = interleave(check, first, second)
  let pageOrder: Int32Array | null = null
  const orderOf = (column: string) => {
    if (!isPageColumn(column)) return order
    pageOrder ??= interleavePages(order, first, second)
    return pageOrder
  }
  const joined = joinedPart([first, second])
  return definePart({
    count: joined.count,
    lengthOf: joined.lengthOf,
    fill(column, target) {
      const numbers = new Float64Array(target.length)
      const gaps = joined.fill(column, numbers)
      take(numbers, orderOf(column), target)
      return gaps
    },
    fillTexts(column, target) {
      const { dictionary, codes } = joined.texts(column)
      take(codes, orderOf(column), target)
      return dictionary
    },
    measured: joined.measured,
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

function interleavePages(order: Int32Array, first: Part, second: Part): Int32Array {
  const firstStarts = pageStarts(first.numbers('pages'))
  const secondStarts = pageStarts(second.numbers('pages'))
  const firstPages = firstStarts[first.count] as number
  const pages = new Int32Array(firstPages + (secondStarts[second.count] as number))
  let at = 0
  for (const row of order) {
    const [starts, run, base] = row < first.count ? [firstStarts, row, 0] : [secondStarts, row - first.count, firstPages]
    for (let page = starts[run] as number; page < (starts[run + 1] as number); page++) pages[at++] = base + page
  }
  return pages
}
