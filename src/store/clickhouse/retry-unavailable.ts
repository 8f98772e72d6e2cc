import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../store.ts'

/** Retries repeatable work while the server cannot be used. */
export type Retries = <T>(work: () => Promise<T>) => Promise<T>

const maxAttempts = 24

/** Waits as long as the error says, about two minutes in total; `onRetry` gets the reason. */
export function createRetries(onRetry: (problem: string) => void, wait: (ms: number) => Promise<void> = sleep): Retries {
  return async (work) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || attempt === maxAttempts) throw error
        onRetry(`${error.message} Retrying in ${error.retryAfterSeconds} s.`)
        await wait(1000 * error.retryAfterSeconds)
      }
    }
  }
}
