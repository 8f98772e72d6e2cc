import type { StoreStats } from '../../stats/server-stats.ts'
import type { ThreadOptions } from '../../threads/thread.ts'

type Reports = {
  readonly stats: Pick<StoreStats, 'lostThreads'>
  readonly log: (problem: unknown) => void
  readonly onLost?: () => void
}

/** Counts and logs threads of a kind that had to be replaced. */
export function reportLost(
  kind: keyof StoreStats['lostThreads'],
  { stats, log, onLost = () => {} }: Reports,
): Required<Pick<ThreadOptions, 'kind' | 'onLost'>> {
  return {
    kind,
    onLost({ message }) {
      stats.lostThreads[kind].add(1)
      log(message)
      onLost()
    },
  }
}
