import { setTimeout as sleep } from 'node:timers/promises'
import { createOnDemand } from '../../concurrency/on-demand.ts'
import type { AgentSighting } from './agent-sightings.ts'

type Options = {
  readonly sightings: () => readonly AgentSighting[]
  readonly report: (sightings: readonly AgentSighting[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

const everyMs = 15_000
/** Batch: agents of a location are often stopped together. */
const pauseMs = 1000
/** How long a process waits for the leader at shutdown. */
const lastReportMs = 2000

/** Reports the agents of this process to the leader. */
export function reportAgents({ sightings, report, onFailure }: Options) {
  const closing = new AbortController()
  const { signal } = closing
  const sendReport = async () => {
    const heard = sightings()
    if (heard.length > 0) await report(heard).catch(onFailure)
  }
  const pause = () => sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  const hurry = createOnDemand({ act: sendReport, pause, signal })
  const timer = setInterval(() => void sendReport(), everyMs).unref()
  return {
    /** Reports at once when an agent has stopped, which the leader must not miss. */
    hurry,
    /** Sends a last report, since agents are often stopped together with their server. */
    async close(): Promise<void> {
      clearInterval(timer)
      closing.abort()
      await Promise.race([sendReport(), sleep(lastReportMs, undefined, { ref: false })])
    },
  }
}
