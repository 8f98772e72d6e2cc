import { reachesAny } from '../checks/probe/net/reach.ts'
import { createOnDemand } from '../concurrency/on-demand.ts'
import { type AgentReport, type Assignment, canaryEveryMs } from '../locations/protocol.ts'
import { pause, type RunClock } from '../runner/clock.ts'

type Canaries = Pick<Assignment, 'canaries' | 'addresses'>
type Found = { readonly isReached: boolean; readonly begunAt: number }

type Options = {
  readonly clock: RunClock
  readonly assignment: () => Canaries | null
  /** Sends the current `report`; false if the server does not answer. */
  readonly sendReport: () => Promise<boolean>
  readonly signal: AbortSignal
  readonly reach?: typeof reachesAny
}

const againMs = 3000

/** Probes the canaries of the agent's location, within the address policy of its checks. */
export function createCanaryWatch({ clock, assignment, sendReport, signal, reach = reachesAny }: Options) {
  let found: Found | null = null
  /** A failed probe that the server may not know of yet. It is reported before a later one that succeeds. */
  let unreported: Found | null = null

  async function look(isUrgent: boolean): Promise<void> {
    const { canaries = [], addresses = { allow: [], deny: [] } } = assignment() ?? {}
    const begunAt = clock.monotonic()
    const isReached = canaries.length === 0 ? null : await reach(canaries, addresses, signal)
    const before = found?.isReached
    found = isReached === null ? null : { isReached, begunAt }
    if (found?.isReached === false) unreported = found
    if (canaries.length === 0) unreported = null
    const isNews = before !== found?.isReached || (unreported !== null && found?.isReached)
    if (found !== null && (isUrgent || isNews)) await sendReports()
  }

  async function sendReports(): Promise<void> {
    const lost = unreported
    if (!(await sendReport())) return
    if (unreported === lost) unreported = null
    if (lost !== null && found?.isReached) await sendReport()
  }

  return {
    report(): Pick<AgentReport, 'canary' | 'canaryAgeMs'> {
      const said = unreported ?? found
      if (said === null) return { canary: null, canaryAgeMs: null }
      const canaryAgeMs = Math.max(0, Math.floor(clock.monotonic() - said.begunAt))
      return { canary: said.isReached ? 'reached' : 'unreached', canaryAgeMs }
    },
    /**
     * Call when a check begins to fail, and when results can be delivered again: the server then needs to know whether the location has
     * failed.
     */
    hurry: createOnDemand({ act: () => look(true), pause: () => pause(clock, againMs, signal), signal }),
    async watch(): Promise<void> {
      while (!signal.aborted) {
        await look(false)
        await pause(clock, canaryEveryMs, signal)
      }
    },
  }
}
