import { compareText } from '../../../text/compare-text.ts'
import { take } from '../../kernels/row-indexes.ts'
import type { Texts } from '../../kernels/texts.ts'
import { gallopTo } from '../../kernels/time-runs.ts'
import { joinedPart } from './joined-part.ts'
import { countBefore, definePart, isPageColumn, type Part, pageStarts, positionsOf, textAt } from './part.ts'
import { comparePositions, type StoredPosition } from './stored-result.ts'

/** Merges ordered parts. */
export function orderedPart(parts: readonly Part[]): Part {
  const byStart = parts.toSorted((a, b) => a.span.from - b.span.from)
  const joined = joinedPart(byStart)
  if (byStart.every(({ span }, i) => i === 0 || (byStart[i - 1] as Part).span.to < span.from)) return joined
  const span = { from: joined.span.from, to: Math.max(...parts.map(({ span }) => span.to)) }
  return reorderedPart({ ...joined, span }, rowsInOrder(joined))
}

/** Merges more results into a part, both ordered. If there are few, the rest of the part is not read. */
export function partWith(part: Part, more: Part): Part {
  if (more.count * fewRowsFactor > part.count) return orderedPart([part, more])
  const pieces: Part[] = []
  const positionAt = positionsOf(more)
  let taken = 0
  for (let row = 0; row < more.count; row++) {
    const before = rowsBefore(part, positionAt(row))
    if (before > taken) pieces.push(part.slice(taken, before))
    pieces.push(more.slice(row, row + 1))
    taken = before
  }
  if (taken < part.count) pieces.push(part.slice(taken, part.count))
  const span = { from: Math.min(part.span.from, more.span.from), to: Math.max(part.span.to, more.span.to) }
  return { ...joinedPart(pieces), span }
}

/** Number of results of a part before a position. Reads only times, unless results have the same time. */
function rowsBefore(part: Part, position: StoredPosition): number {
  const times = part.times()
  const first = gallopTo(times, position.startedAt, 0)
  const end = gallopTo(times, position.startedAt + 1, first)
  return first === end ? first : first + countBefore(part.slice(first, end), position)
}

/** The results in order; returns the part itself if it is already sorted. */
export function sortedPart(part: Part): Part {
  const positionAt = positionsOf(part)
  for (let row = 1; row < part.count; row++)
    if (comparePositions(positionAt(row - 1), positionAt(row)) > 0) return reorderedPart(part, rowsInOrder(part))
  return part
}

/** The rows of a part that `order` lists, in that order. */
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
    slice(from, to) {
      const rows = order.subarray(from, to)
      return rows.length * fewRowsFactor <= part.count ? pickedPart(part, rows) : reorderedPart(part, rows)
    },
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

/** Up to 1 ÷ this of the rows, decoding row by row is cheaper than decoding whole columns. */
const fewRowsFactor = 8

/** A few rows of a part; other rows are not decoded. */
function pickedPart(part: Part, rows: Int32Array): Part {
  return { ...joinedPart(Array.from(rows, (row) => part.slice(row, row + 1))), span: part.span }
}

function rowsInOrder(part: Part): Int32Array {
  const [times, ids] = [part.numbers('time'), part.texts('id')]
  const locations = ranks(part.texts('location'))
  const rows = Array.from(times.keys())
  return Int32Array.from(
    rows.sort(
      (a, b) =>
        (times[a] as number) - (times[b] as number) ||
        (locations[a] as number) - (locations[b] as number) ||
        compareText(textAt(ids, a) ?? '', textAt(ids, b) ?? ''),
    ),
  )
}

/** The rank of each text in sort order. */
function ranks({ dictionary, codes }: Texts): Int32Array {
  const rankOf = new Int32Array(dictionary.length)
  const sorted = [...dictionary.keys()].sort((a, b) => compareText(dictionary[a] as string, dictionary[b] as string))
  for (const [rank, code] of sorted.entries()) rankOf[code] = rank
  return take(rankOf, codes)
}

/** The pages of these rows; `starts` has the first page of each row. */
export function pagesOfRows(starts: Int32Array, order: Int32Array): Int32Array {
  const pages: number[] = []
  for (const row of order) for (let page = starts[row] as number; page < (starts[row + 1] as number); page++) pages.push(page)
  return Int32Array.from(pages)
}
