import { StoreUnavailable } from '../../store.ts'
import { isUnwritable } from '../disk/errors.ts'

/** As long as callers are told to wait before they send results again. */
export const retryAfterMs = 30_000

/** Rethrows a failure of a commit, as one that callers may retry where nothing can be written at present. */
export function rethrowUnwritable(problem: unknown): never {
  if (!isUnwritable(problem)) throw problem
  throw new StoreUnavailable(`Results cannot be stored: ${problem.message}.`, retryAfterMs / 1000)
}
