import { reachesAny } from '../checks/probe/net/reach.ts'
import type { Assignment, CanaryReport } from '../locations/protocol.ts'
import { pause, type RunClock } from '../runner/clock.ts'

const everyMs = 15_000

type Options = { readonly clock: RunClock; readonly assignment: () => Pick<Assignment, 'canaries' | 'addresses'> | null }

/** Probes the canaries of the agent's location, within the address policy of its checks. */
export function createCanaryWatch({ clock, assignment }: Options) {
  let found: CanaryReport | null = null
  async function look(signal: AbortSignal): Promise<void> {
    const { canaries = [], addresses = { allow: [], deny: [] } } = assignment() ?? {}
    const isReached = canaries.length === 0 ? null : await reachesAny(canaries, addresses, signal)
    found = isReached === null ? null : isReached ? 'reached' : 'unreached'
  }
  return {
    /** Null where there are no canaries, or it is not known yet. */
    found: () => found,
    async watch(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await look(signal)
        await pause(clock, everyMs, signal)
      }
    },
  }
}
