import type { Texts } from '../../kernels/texts.ts'
import type { CheckRef, Result } from '../../store.ts'
import { isPageColumn, type Part, pageStarts, runTexts, textAt } from './part.ts'
import { flagged, type StoredResult, toResult } from './stored-result.ts'

/** The results of some rows of a part, each with its id. */
export function resultsOf(check: CheckRef, part: Part, rows: Iterable<number>): Result[] {
  return storedResults(part, rows).map((stored) => toResult(check, stored))
}

/** The results of some rows of a part; rows before the first and after the last one are not decoded. */
export function storedResults(part: Part, rows: Iterable<number>): StoredResult[] {
  const chosen = [...rows]
  if (chosen.length === 0) return []
  const [first, last] = chosen.reduce(([low, high], row) => [Math.min(low, row), Math.max(high, row)], [part.count, 0])
  const resultAt = resultReader(part.slice(first, last + 1))
  return chosen.map((row) => resultAt(row - first))
}

function resultReader(part: Part): (row: number) => StoredResult {
  const times = part.numbers('time')
  const [flags, attempts, pageCounts] = [part.ints('flags'), part.ints('attempts'), part.ints('pages')]
  const [locations, states, errors, ids] = runTexts.map((column) => part.texts(column)) as [Texts, Texts, Texts, Texts]
  const values = part.measured.filter((column) => !isPageColumn(column)).map((column) => [column.slice(2), part.numbers(column)] as const)
  const starts = pageStarts(pageCounts)
  const hasPages = (starts[part.count] as number) > 0
  const pageUrls = hasPages ? part.texts('pageUrl') : null
  const pageValues = hasPages ? part.measured.filter(isPageColumn).map((column) => [column.slice(2), part.numbers(column)] as const) : []
  return (row) => ({
    id: textAt(ids, row),
    startedAt: times[row] as number,
    runLocation: textAt(locations, row) ?? '',
    ...flagged(flags[row] as number),
    attempts: attempts[row] as number,
    state: textAt(states, row),
    error: textAt(errors, row),
    values: present(values, row),
    pages: Array.from({ length: pageCounts[row] as number }, (_, page) => {
      const at = (starts[row] as number) + page
      return { pageUrl: (pageUrls && textAt(pageUrls, at)) ?? '', values: present(pageValues, at) }
    }),
  })
}

function present(columns: readonly (readonly [string, Float64Array])[], row: number): Record<string, number> {
  const values: Record<string, number> = {}
  for (const [name, numbers] of columns) {
    const value = numbers[row] as number
    if (!Number.isNaN(value)) values[name] = value
  }
  return values
}
