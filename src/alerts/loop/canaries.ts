import type { Canary } from '../../catalogue/policies/policies.ts'
import type { ReachReport } from './reachability.ts'

const everyMs = 15_000

type CanaryOptions = {
  /** Named in reports; unique among processes that share a database. */
  readonly by: string
  /** Those of locations whose checks this process runs, by account. */
  readonly own: () => readonly { readonly account: string; readonly canary: Canary }[]
  /** Whether any of these targets can be reached; null where that cannot be known. */
  readonly reach: (targets: readonly string[], signal: AbortSignal) => Promise<boolean | null>
  /** What agents have reported of theirs. */
  readonly ofAgents: () => readonly ReachReport[]
  readonly report: (reports: readonly ReachReport[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

/** Probes canaries, and reports what this process and its agents have found. */
export function watchCanaries({ by, own, reach, ofAgents, report, onFailure }: CanaryOptions) {
  const closing = new AbortController()
  let looking: Promise<void> | null = null

  async function look(): Promise<void> {
    const found = await Promise.all(
      own().map(async ({ account, canary: { location, targets } }): Promise<readonly ReachReport[]> => {
        const isReached = await reach(targets, closing.signal)
        return isReached === null ? [] : [{ account, location, by, isReached }]
      }),
    )
    const reports = [...found.flat(), ...ofAgents()]
    if (reports.length > 0 && !closing.signal.aborted) await report(reports)
  }

  const tick = () => {
    looking ??= look()
      .catch(onFailure)
      .finally(() => {
        looking = null
      })
  }
  const timer = setInterval(tick, everyMs).unref()
  tick()

  return {
    async close() {
      clearInterval(timer)
      closing.abort()
      await looking
    },
  }
}
