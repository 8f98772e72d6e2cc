import { ping } from './ping.ts'

/** Null where this machine can ping, else a sentence that says what is missing and how to get it. */
export async function icmpAvailable(program?: string): Promise<string | null> {
  try {
    await ping({ address: '127.0.0.1', count: 1, timeoutMs: 2000, signal: AbortSignal.timeout(3000) }, program)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
