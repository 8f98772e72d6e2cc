import type { Machine } from '../probe/run.ts'
import { ping } from './ping.ts'

/** Null where this machine can ping, else a sentence that says what is missing and how to get it. */
export async function icmpAvailable({ env }: Pick<Machine, 'env'>): Promise<string | null> {
  try {
    await ping({ address: '127.0.0.1', count: 1, timeoutMs: 2000, signal: AbortSignal.timeout(3000), env })
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
