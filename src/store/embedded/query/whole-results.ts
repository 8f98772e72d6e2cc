import type { LazyDay } from '../../query/parts/day.ts'
import { countBefore, type Part, textAt } from '../../query/parts/part.ts'
import { resultsOf } from '../../query/parts/results-of.ts'
import { toStoredPosition } from '../../query/parts/stored-result.ts'
import type { ScanQuery } from '../../query/question-reader.ts'
import type { Result, ResultsQuery } from '../../store.ts'

/** Whole results, newest first; `days` must ascend. */
export function wholeResults(query: ResultsQuery, days: readonly LazyDay[]): Result[] {
  const page: Result[] = []
  const { offset, limit } = query.rowPage
  const unfiltered = query.location === null && query.hasFailures === null && query.before === null
  let toSkip = offset
  for (const day of days.toReversed()) {
    if (page.length >= limit) break
    if (unfiltered && day.count() <= toSkip) {
      toSkip -= day.count()
      continue
    }
    const part = day.part()
    const rows: number[] = []
    for (const row of matchingRows(query, part)) {
      if (toSkip > 0) toSkip--
      else if (rows.push(row) >= limit - page.length) break
    }
    page.push(...resultsOf(query.check, part, rows))
  }
  return page
}

/** Whole results after a position, oldest first; `days` must ascend. */
export function resultsAfter({ check, after, limit, location }: Omit<ScanQuery, 'window'>, days: readonly LazyDay[]): Result[] {
  const page: Result[] = []
  for (const day of days) {
    if (page.length >= limit) break
    const part = day.part()
    const first = after ? countBefore(part, toStoredPosition(check, after), true) : 0
    const wanted = limit - page.length
    const rest = part.slice(first, location === undefined ? Math.min(part.count, first + wanted) : part.count)
    page.push(...resultsOf(check, rest, location === undefined ? Array(rest.count).keys() : firstAt(rest, location, wanted)))
  }
  return page
}

function firstAt(part: Part, location: string, limit: number): number[] {
  const locations = part.texts('location')
  const rows: number[] = []
  for (let row = 0; row < part.count && rows.length < limit; row++) if (textAt(locations, row) === location) rows.push(row)
  return rows
}

/** The matching rows of a part, newest first. Decodes only the columns that the filter uses. */
function* matchingRows({ check, location, hasFailures, before }: ResultsQuery, part: Part): Generator<number> {
  const earlier = part.slice(0, before ? countBefore(part, toStoredPosition(check, before)) : part.count)
  const locations = location === null ? null : earlier.texts('location')
  const flags = hasFailures === null ? null : earlier.ints('flags')
  for (let row = earlier.count - 1; row >= 0; row--) {
    if (locations && textAt(locations, row) !== location) continue
    if (flags && (((flags[row] as number) & 1) !== 0) !== hasFailures) continue
    yield row
  }
}
