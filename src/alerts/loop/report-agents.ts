import { setTimeout as sleep } from 'node:timers/promises'
import { createOnDemand } from '../../concurrency/on-demand.ts'
import type { AgentSighting } from './agent-sightings.ts'

type Options = {
  readonly sightings: () => readonly AgentSighting[]
  readonly report: (sightings: readonly AgentSighting[]) => Promise<void>
  readonly onFailure: (error: unknown) => void
}

const everyMs = 15_000
/** An agent that stops may say so while others of its location do. */
const pauseMs = 1000
/** A process that ends waits no longer for the one that sends alerts. */
const lastReportMs = 2000

/** Reports which agents this process has heard of, to the process that sends alerts. */
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
    /** An agent has stopped: whoever sends alerts must not miss it. */
    hurry,
    /** Agents are often stopped together with their server. */
    async close(): Promise<void> {
      clearInterval(timer)
      closing.abort()
      await Promise.race([sendReport(), sleep(lastReportMs, undefined, { ref: false })])
    },
  }
}
