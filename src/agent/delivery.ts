import { backoffMs, jittered } from '../concurrency/backoff.ts'
import { maxRowLength } from '../ingest/rows.ts'
import { pause, type RunClock } from '../runner/clock.ts'
import type { RunnerLog } from '../runner/log.ts'
import type { AgentOutbox } from './agent-outbox.ts'
import type { OutboxRow } from './outbox-database.ts'
import { Refusal, reasonOf } from './refusal.ts'
import type { ServerConnection } from './server-connection.ts'

/** Delivers the results of the outbox in order, each at least once: the server recognizes a repeated one by its id. */
export type AgentDelivery = {
  /** There are new results. */
  wake(): void
  /** The server has answered: failed batches are retried at once. */
  retry(): void
  /** Resolves once nothing waits, or the signal is aborted; ends the delivery. */
  close(signal: AbortSignal): Promise<void>
}

type Options = {
  readonly outbox: Pick<AgentOutbox, 'next' | 'remove' | 'counts'>
  readonly connection: Pick<ServerConnection, 'send'>
  readonly clock: RunClock
  readonly log: RunnerLog
  readonly random?: () => number
  /** Called when results are delivered that could not be before. */
  readonly onDeliveredAgain?: () => void
}

const maxBackoffMs = 30_000
/** Without new results, such as after an error of the disk. */
const lookAgainMs = 30_000
const postTimeoutMs = 60_000
const maxRestMs = 1000

type Rejected = { readonly index: number; readonly code: string; readonly message: string }

export function startDelivery({ outbox, connection, clock, log, random = Math.random, onDeliveredAgain }: Options): AgentDelivery {
  const stop = new AbortController()
  let pausing: { readonly isIdle: boolean; readonly end: AbortController } | null = null
  let hasNew = false
  let isClosing = false
  let position = 0
  let failures = 0
  let retryMs = 0
  const delivering = deliverAll()

  async function deliverAll(): Promise<void> {
    while (!stop.signal.aborted) {
      hasNew = false
      const batch = await outbox.next(position).catch(onOutboxError)
      if (batch.length > 0) {
        const began = clock.monotonic()
        if (!(await deliver(batch))) await wait(retryMs, false)
        else if (outbox.counts().waiting > 0) await rest(clock.monotonic() - began)
      } else if (isClosing) return
      else if (!hasNew) await wait(lookAgainMs, true)
    }
  }

  /** A backlog takes up to half of the time of the server, so that questions stay quick. */
  async function rest(busyMs: number): Promise<void> {
    if (!isClosing) await wait(Math.min(busyMs, maxRestMs), false)
  }

  async function wait(delayMs: number, isIdle: boolean): Promise<void> {
    if (stop.signal.aborted) return
    const end = new AbortController()
    pausing = { isIdle, end }
    await pause(clock, delayMs, end.signal)
    pausing = null
  }

  function wake(): void {
    hasNew = true
    if (pausing?.isIdle) pausing.end.abort()
  }

  async function deliver(batch: readonly OutboxRow[]): Promise<boolean> {
    try {
      const rejected = await post(batch)
      if (rejected.length > 0) logRejected(rejected)
    } catch (error) {
      onFailure(error)
      return false
    }
    if (failures > 0) {
      log.info({ backlog: outbox.counts().waiting }, 'Results are delivered again.')
      onDeliveredAgain?.()
    }
    failures = 0
    position = batch.at(-1)?.position ?? position
    await outbox.remove(position).catch(onOutboxError)
    return true
  }

  async function post(batch: readonly OutboxRow[]): Promise<readonly Rejected[]> {
    const answer = await connection.send('v1/check-results', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: batch.map(lineOf).join(''),
      signal: stop.signal,
      timeoutMs: postTimeoutMs,
    })
    if (answer.status !== 200) throw new Refusal(answer)
    return (JSON.parse(answer.body) as { rejected: readonly Rejected[] }).rejected
  }

  function onFailure(error: unknown): void {
    if (stop.signal.aborted) return
    failures += 1
    const asked = error instanceof Refusal ? (error.retryAfterMs ?? 0) : 0
    retryMs = Math.max(asked, jittered(backoffMs(failures, { maxMs: maxBackoffMs }), random))
    if (failures === 1)
      log.warn({ reason: reasonOf(error), backlog: outbox.counts().waiting }, 'Results cannot be delivered. They wait in the outbox.')
  }

  function logRejected(rejected: readonly Rejected[]): void {
    const [first] = rejected
    log.error({ results: rejected.length, code: first?.code, reason: first?.message }, 'The server rejected results permanently.')
  }

  function onOutboxError(error: unknown): readonly OutboxRow[] {
    log.error({ err: error }, 'The outbox cannot be read or written.')
    return []
  }

  return {
    wake,
    retry: () => pausing?.end.abort(),
    async close(signal) {
      isClosing = true
      const abort = () => {
        stop.abort()
        pausing?.end.abort()
      }
      signal.addEventListener('abort', abort, { once: true })
      if (signal.aborted) abort()
      pausing?.end.abort()
      await delivering
    },
  }
}

/** A result that would be too long with its evidence is sent without it. */
function lineOf({ row, evidence }: OutboxRow): string {
  if (evidence === null) return row
  const line = `${JSON.stringify({ ...JSON.parse(row), evidence: Buffer.from(evidence).toString('base64') })}\n`
  return line.length > maxRowLength ? row : line
}
