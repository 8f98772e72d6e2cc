import { minuteMs } from '../../time.ts'

/** Accounts are decided about every 30 s at least. */
const currentMs = 2 * minuteMs

/** When alerts of each account were last decided. */
export function createReviewTimes(now: () => number) {
  const startedAt = now()
  const reviewedAt = new Map<string, number>()
  return {
    note: (account: string): void => void reviewedAt.set(account, now()),
    /** Where the clock was set back, the last review counts as of the moment when that is noticed. */
    isCurrent(account: string): boolean {
      const at = Math.min(reviewedAt.get(account) ?? startedAt, now())
      reviewedAt.set(account, at)
      return now() - at < currentMs
    },
  }
}
