import type { Retry } from '../catalogue/catalogue.ts'

/** `broken` means that the run could not be done at all, such as a network error. */
type Attempted = { readonly failed: boolean; readonly broken: boolean }

const maxBackoffMs = 600_000

/** The delay before the next attempt, after `attempts` of them; null when there is none. */
export function retryDelayMs(retry: Retry | null, attempts: number, { failed, broken }: Attempted): number | null {
  if (retry === null || !failed || (retry.onlyOnNetworkErrors && !broken)) return null
  if (attempts > (retry.strategy === 'single' ? 1 : retry.maxRetries)) return null
  return Math.min(maxBackoffMs, retry.baseBackoffMs * growth[retry.strategy](attempts))
}

const growth: Readonly<Record<Retry['strategy'], (attempts: number) => number>> = {
  fixed: () => 1,
  single: () => 1,
  linear: (attempts) => attempts,
  exponential: (attempts) => 2 ** (attempts - 1),
}
