import { type AggregateQuery, QueryTooLarge } from '../store.ts'

/** Answers are put together in the main thread, so that their size is limited: rows, and values in all of them. */
const maxRows = 50_000
const maxValues = 1_000_000

type AnswerSize = { readonly groups: number; readonly rows: number; readonly valuesPerRow: number }

/** Throws where an answer would be too large. */
export function checkAnswerSize({ groups, rows, valuesPerRow }: AnswerSize): void {
  const most = Math.min(maxRows, Math.floor(maxValues / Math.max(1, valuesPerRow)))
  if (rows <= most) return
  throw new QueryTooLarge(`its answer has ${rows} rows in ${groups} groups, and at most ${most} such rows are in one answer`)
}

/** How many values a row of a question has. */
export function valuesPerRow({ figures, counts, histogram }: AggregateQuery, bounds: number): number {
  return figures.length + (counts ? 3 : 0) + (histogram ? bounds + 1 : 0)
}

/** Rows of the states of all checks and locations that are in one answer. */
const maxStateRows = 200_000

export function checkStateRows(rows: number): void {
  if (rows <= maxStateRows) return
  throw new QueryTooLarge(
    `the time in each state of its checks and locations has ${rows} rows, and at most ${maxStateRows} are read for one answer`,
  )
}
