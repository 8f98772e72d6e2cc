import { StoreUnavailable } from '../../store.ts'
import { DataFolderError, isUnwritable } from '../disk/errors.ts'
import { whyUnwritable } from '../disk/why-unwritable.ts'

/** `Retry-After` of callers that send results again. */
export const retryAfterMs = 30_000

/** Rethrows a failure of a write, as one that callers may retry where nothing can be written at present. */
export async function rethrowUnwritable(problem: unknown, directory: string): Promise<never> {
  if (!isUnwritable(problem)) throw asDataFolderError(problem)
  const why = await whyUnwritable(directory, problem)
  const publicReason = `Tidemark cannot store results: ${why}.`
  throw new StoreUnavailable(`Nothing can be stored in ${directory}: ${why} (${problem.message}).`, retryAfterMs / 1000, { publicReason })
}

/** An error from another thread has lost its class. */
function asDataFolderError(problem: unknown): unknown {
  return problem instanceof Error && problem.name === 'DataFolderError' ? new DataFolderError(problem.message, { cause: problem }) : problem
}
