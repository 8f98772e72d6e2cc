import type { Day } from '../../query/day.ts'
import { type Part, positionsOf, textAt } from '../../query/part.ts'
import { resultsOf } from '../../query/results-of.ts'
import { comparePositions, toStoredPosition } from '../../query/stored-result.ts'
import type { CheckRef, Position, Result, ResultsQuery } from '../../store.ts'

/** Whole results, newest first, over days in order of time. */
export function wholeResults(query: ResultsQuery, days: readonly Day[]): Result[] {
  const page: Result[] = []
  const { offset, limit } = query.rowPage
  const unfiltered = query.location === null && query.hasFailures === null && query.before === null
  let seen = 0
  for (const day of days.toReversed()) {
    if (page.length >= limit) break
    if (unfiltered && seen + day.count() <= offset) {
      seen += day.count()
      continue
    }
    const part = day.part()
    const rows = matchingRows(query, part).reverse()
    const from = Math.max(0, offset - seen)
    page.push(...resultsOf(query.check, part, rows.slice(from, from + limit - page.length)))
    seen += rows.length
  }
  return page
}

export type ScanQuery = { readonly check: CheckRef; readonly after: Position | null; readonly limit: number }

/** Whole results after a position, oldest first, over days in order of time. */
export function resultsAfter({ check, after, limit }: ScanQuery, days: readonly Day[]): Result[] {
  const page: Result[] = []
  for (const day of days) {
    if (page.length >= limit) break
    const part = day.part()
    const position = after && relativeTo(check, part, after)
    const rows = everyRow(part).filter((row) => !position || position(row) > 0)
    page.push(...resultsOf(check, part, rows.slice(0, limit - page.length)))
  }
  return page
}

const everyRow = (part: Part) => Array.from({ length: part.count }, (_, row) => row)

function matchingRows({ check, location, hasFailures, before }: ResultsQuery, part: Part): number[] {
  const locations = location === null ? null : part.texts('location')
  const flags = hasFailures === null ? null : part.ints('flags')
  const position = before && relativeTo(check, part, before)
  return everyRow(part).filter(
    (row) =>
      (!locations || textAt(locations, row) === location) &&
      (!flags || (((flags[row] as number) & 1) !== 0) === hasFailures) &&
      (!position || position(row) < 0),
  )
}

/** Whether a row comes before (negative), at, or after (positive) a position. */
function relativeTo(check: CheckRef, part: Part, position: Position): (row: number) => number {
  const times = part.numbers('time')
  const positionAt = positionsOf(part)
  const stored = toStoredPosition(check, position)
  return (row) => (times[row] as number) - position.startedAt || comparePositions(positionAt(row), stored)
}
