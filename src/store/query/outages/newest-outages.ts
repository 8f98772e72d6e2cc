import { hourMs } from '../../../time.ts'
import type { FoundOutage, OutagesQuery } from '../../state-questions.ts'
import type { Window } from '../../store.ts'
import { firstOutages, type OutagesInSlice } from './found-outages.ts'

type Find = (query: OutagesInSlice) => Promise<readonly FoundOutage[]>

const firstSliceMs = 6 * hourMs
const growth = 4

/** Searches for outages slice by slice, from the newest; stops once the answer is full. */
export async function newestOutages(query: OutagesQuery, find: Find, firstMs = firstSliceMs): Promise<readonly FoundOutage[]> {
  const found: FoundOutage[] = []
  for (const slice of slicesBack(query, firstMs)) {
    found.push(...(await find({ ...query, ...slice, limit: query.limit - found.length })))
    if (found.length >= query.limit) break
  }
  return firstOutages(found, query.limit)
}

/** Consecutive slices of the window, newest first, each longer than the one before. */
function* slicesBack({ window, after }: OutagesQuery, firstMs: number): Generator<{ readonly window: Window; readonly before: boolean }> {
  const { from } = window
  let to = Math.max(from, Math.min(window.to, after?.from ?? window.to))
  for (let length = firstMs; to - length > from; length *= growth) {
    yield { window: { from: to - length + 1, to }, before: false }
    to -= length
  }
  yield { window: { from, to }, before: true }
}
