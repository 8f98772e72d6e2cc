import { availableParallelism, totalmem } from 'node:os'

/** Basis for limits: cores, and the memory available to this process. */
export function machine(): { readonly cores: number; readonly memoryBytes: number } {
  return { cores: availableParallelism(), memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) }
}
