import { backoffMs, jittered } from '../concurrency/backoff.ts'
import { type AgentReport, type Assignment, protocolVersion } from '../locations/protocol.ts'
import { pause, type RunClock } from '../runner/clock.ts'
import type { RunnerLog } from '../runner/log.ts'
import { Refusal, reasonOf } from './refusal.ts'
import type { ServerAnswer, ServerConnection } from './server-connection.ts'

/** Fetches the assignment of the agent, and follows its changes by long polling. */
export type Assignments = {
  /** Sends one request; throws a `Refusal` or `Unreachable`. Null if nothing has changed. */
  fetch(options?: FetchOptions): Promise<Assignment | null>
  /** Reports the state of the agent; false if the server does not answer. */
  report(): Promise<boolean>
  /** Reports that the agent stops; best effort. */
  sayStopping(): Promise<void>
  /** Polls until closed. */
  follow(onAssignment: (assignment: Assignment) => void): void
  close(): void
}

type FetchOptions = { readonly waitSeconds?: number; readonly timeoutMs?: number }

type Options = {
  readonly location: string
  readonly connection: Pick<ServerConnection, 'send'>
  readonly clock: RunClock
  readonly log: RunnerLog
  /** The agent's report about itself; null lists all checks of the location without taking any over. */
  readonly report: (() => Omit<AgentReport, 'protocol'>) | null
  /** Called after each answer. */
  readonly onReached?: () => void
  readonly waitSeconds?: number
  readonly random?: () => number
}

const path = 'v1/agents/checks'
/** Well below the time after which the server considers an agent silent. */
const maxBackoffMs = 8000
const reportTimeoutMs = 5000
/** Between the beginnings of two polls: a proxy may answer or end each long poll at once. */
const leastPollMs = 1000

export function createAssignments(options: Options): Assignments {
  const { location, connection, clock, log, report, onReached = () => {}, waitSeconds = 10, random = Math.random } = options
  const stop = new AbortController()
  let etag: string | null = null
  let failures = 0

  async function send(more: Readonly<Record<string, string>>, timeoutMs: number): Promise<ServerAnswer> {
    const query = new URLSearchParams({ protocol: String(protocolVersion), location, ...texts(report?.() ?? {}), ...more })
    const headers = etag === null ? {} : { 'if-none-match': etag }
    const answer = await connection.send(`${path}?${query}`, { headers, timeoutMs, ...(more.stopping ? {} : { signal: stop.signal }) })
    if (answer.status !== 200 && answer.status !== 304) throw new Refusal(answer)
    return answer
  }

  async function ask(more: Readonly<Record<string, string>>, timeoutMs: number): Promise<Assignment | null> {
    const answer = await send(more, timeoutMs)
    if (answer.status === 304) return null
    const assignment = parsed(answer)
    etag = answer.headers.get('etag')
    return assignment
  }

  async function fetchOnce({ waitSeconds: wait = 0, timeoutMs = (wait + 15) * 1000 }: FetchOptions = {}): Promise<Assignment | null> {
    return ask({ wait: String(wait) }, timeoutMs)
  }

  async function follow(onAssignment: (assignment: Assignment) => void): Promise<void> {
    while (!stop.signal.aborted) {
      const begunAt = clock.monotonic()
      try {
        const changed = await fetchOnce({ waitSeconds: failures === 0 ? waitSeconds : 0 })
        if (failures > 0) log.info({}, 'The server is reachable again.')
        failures = 0
        if (changed) onAssignment(changed)
        onReached()
        await restOf(begunAt)
      } catch (error) {
        await onFailure(error)
      }
    }
  }

  async function restOf(begunAt: number): Promise<void> {
    const leftMs = leastPollMs - (clock.monotonic() - begunAt)
    if (leftMs > 0) await pause(clock, leftMs, stop.signal)
  }

  async function onFailure(error: unknown): Promise<void> {
    if (stop.signal.aborted) return
    failures += 1
    if (failures === 1)
      log.warn({ reason: reasonOf(error) }, 'Cannot fetch checks from the server. The agent continues with the known ones.')
    await pause(clock, jittered(backoffMs(failures, { maxMs: maxBackoffMs }), random), stop.signal)
  }

  return {
    fetch: fetchOnce,
    // Ignores the assignment in the answer: the long poll in `follow` reads it.
    report: () =>
      send({ wait: '0' }, reportTimeoutMs).then(
        () => true,
        () => false,
      ),
    sayStopping: () =>
      ask({ stopping: 'true' }, 2000).then(
        () => undefined,
        () => undefined,
      ),
    follow: (onAssignment) => void follow(onAssignment),
    close: () => stop.abort(),
  }
}

/** Something other than Tidemark may answer, such as the login page of a network. */
function parsed(answer: ServerAnswer): Assignment {
  try {
    const body = JSON.parse(answer.body)
    if (Array.isArray(body.checks)) return body
  } catch {}
  throw new Refusal(answer)
}

function texts(fields: object): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])))
}
