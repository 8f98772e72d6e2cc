import type { CountResults } from '../../admission/cost.ts'
import type { CallSizes } from '../../questions/calls.ts'
import { batchesBy } from './batches-by.ts'

/** Results whose columns one statement orders and sends, about. */
const resultsPerCall = 500_000

/** A call is a statement or a few, however many checks it is about: so these are as many as one can be about. */
export function createCallSizes(count: CountResults): CallSizes {
  return async (checks, window) => {
    const counts = await Promise.all(checks.map((check) => count(check, window)))
    return batchesBy(counts, (results) => results, resultsPerCall).map(({ length }) => length)
  }
}
