import type { Retry } from '../catalogue/catalogue.ts'

/** What decides on another attempt: whether this one failed, and whether it could be done at all. */
type Attempted = { readonly failed: boolean; readonly broken: boolean }

const longestBackoffMs = 600_000

/** How long to wait before another attempt after so many; null when this was the last. */
export function backoffMs(retry: Retry | null, attempts: number, { failed, broken }: Attempted): number | null {
  if (retry === null || !failed || (retry.onlyOnNetworkErrors && !broken)) return null
  if (attempts > (retry.strategy === 'single' ? 1 : retry.maxRetries)) return null
  return Math.min(longestBackoffMs, retry.baseBackoffMs * growth[retry.strategy](attempts))
}

const growth: Readonly<Record<Retry['strategy'], (attempts: number) => number>> = {
  fixed: () => 1,
  single: () => 1,
  linear: (attempts) => attempts,
  exponential: (attempts) => 2 ** (attempts - 1),
}
