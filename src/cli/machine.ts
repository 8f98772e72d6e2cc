import { availableParallelism, totalmem } from 'node:os'

/** The base of limits: cores, and the memory that this process may use. */
export function machine(): { readonly cores: number; readonly memoryBytes: number } {
  return { cores: availableParallelism(), memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) }
}
