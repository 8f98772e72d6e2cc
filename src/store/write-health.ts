import { StoreUnavailable } from '../../store.ts'
import { isUnwritable } from '../disk/errors.ts'

/** As long as callers are told to wait before they send results again. */
export const retryAfterMs = 30_000

type WriteHealthOptions = { readonly clock: () => number; readonly probe: () => Promise<void> }

/** Whether results can be written: not while commits fail. Some time after the last failure, a small write finds out. */
export function createWriteHealth({ clock, probe }: WriteHealthOptions) {
  let failedAt: number | null = null

  const observe = async <T>(write: Promise<T>): Promise<T> => {
    try {
      const outcome = await write
      failedAt = null
      return outcome
    } catch (error) {
      failedAt = clock()
      throw error
    }
  }
  const probed = () =>
    observe(probe()).then(
      () => true,
      () => false,
    )
  return {
    observe,
    async isWritable(): Promise<boolean> {
      if (failedAt === null) return true
      return clock() - failedAt >= retryAfterMs ? probed() : false
    },
  }
}

/** Rethrows a failure of a commit, as one that callers may retry where nothing can be written at present. */
export function rethrowUnwritable(problem: unknown): never {
  if (!isUnwritable(problem)) throw problem
  throw new StoreUnavailable(`Results cannot be stored: ${problem.message}.`, retryAfterMs / 1000)
}
