import { backoffMs, jittered } from '../concurrency/backoff.ts'
import { maxRowLength } from '../ingest/rows.ts'
import { pause, type RunClock } from '../runner/clock.ts'
import type { RunnerLog } from '../runner/log.ts'
import type { AgentOutbox } from './agent-outbox.ts'
import type { OutboxRow } from './outbox-database.ts'
import { Refusal, type Rejected, reasonOf } from './refusal.ts'
import type { ServerConnection } from './server-connection.ts'

/**
 * Delivers the results of the outbox at least once; the server deduplicates them by id. Results of a check are delivered in order. If they
 * are refused, the delivery of other checks continues.
 */
export type AgentDelivery = {
  /** Call when there are new results. */
  wake(): void
  /** Call when the server has answered: retries failed batches at once. */
  retry(): void
  /** Ends the delivery. Resolves once only results of refused checks wait, or the signal is aborted. */
  close(signal: AbortSignal): Promise<void>
}

type Options = {
  readonly outbox: Pick<AgentOutbox, 'next' | 'find' | 'remove' | 'counts'>
  readonly connection: Pick<ServerConnection, 'send'>
  readonly clock: RunClock
  readonly log: RunnerLog
  readonly random?: () => number
  /** Called when a delivery succeeds after failed ones. */
  readonly onDeliveredAgain?: () => void
}

const maxBackoffMs = 30_000
/** Poll interval without new results, such as after a disk error. */
const lookAgainMs = 30_000
const postTimeoutMs = 60_000
const maxRestMs = 1000
/** Refused checks per attempt. */
const maxTried = 250

export function startDelivery({ outbox, connection, clock, log, random = Math.random, onDeliveredAgain }: Options): AgentDelivery {
  const stop = new AbortController()
  let pausing: { readonly isIdle: boolean; readonly end: AbortController } | null = null
  let hasNew = false
  let isClosing = false
  let position = 0
  /** The position to continue from once checks are no longer refused. */
  let rewindTo = Number.POSITIVE_INFINITY
  let failures = 0
  /** Refused checks, least recently tried first, with the position of the oldest result of each. */
  const refused = new Map<string, number>()
  let retrying: Promise<void> | null = null
  let retries = 0
  /** Positions of delivered results that could not be removed, such as because of a disk error. */
  let unremoved: number[] = []
  const delivering = deliverAll()

  async function deliverAll(): Promise<void> {
    while (!stop.signal.aborted) {
      hasNew = false
      position = Math.min(position, rewindTo)
      rewindTo = Number.POSITIVE_INFINITY
      const rows = await outbox.next(position).catch(onOutboxError)
      if (rewindTo < position) continue
      if (rows.length > 0) {
        const began = clock.monotonic()
        const retryMs = await deliver(rows)
        if (retryMs !== null) await wait(retryMs, false)
        else if (outbox.counts().waiting > 0) await rest(clock.monotonic() - began)
      } else if (isClosing) return
      else if (!hasNew) await wait(lookAgainMs, true)
    }
  }

  /** A backlog takes up to half of the server's time, so that queries stay fast. */
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

  /** Returns the delay before a retry; null if all rows but those of refused checks are delivered. */
  async function deliver(rows: readonly OutboxRow[]): Promise<number | null> {
    const batch = rows.filter((row) => !isRefused(row))
    try {
      if (batch.length > 0) await settle(batch, await post(batch))
    } catch (error) {
      return onFailure(error)
    }
    position = rows.at(-1)?.position ?? position
    return null
  }

  const isRefused = (row: OutboxRow) => refused.size > 0 && refused.has(checkOf(row))

  async function settle(batch: readonly OutboxRow[], refusal: Refusal | null): Promise<void> {
    if (failures > 0) {
      log.info({ backlog: outbox.counts().waiting }, 'Delivery of results resumed.')
      onDeliveredAgain?.()
    }
    failures = 0
    if (refusal) setAside(batch, refusal)
    await remove(batch.filter((row) => !isRefused(row)))
  }

  function setAside(batch: readonly OutboxRow[], refusal: Refusal): void {
    for (const row of batch) {
      const check = checkOf(row)
      if (refusal.refusedChecks.has(check) && !refused.has(check)) refused.set(check, row.position)
    }
    if (retrying) return
    log.warn({ reason: reasonOf(refusal), checks: refused.size }, 'Results of some checks were rejected. They stay in the outbox.')
    retrying = retryRefused(refusal)
  }

  /**
   * If some results are stored again, all refused checks are tried before the next pause, so that the results behind them are read only
   * once.
   */
  async function retryRefused(first: Refusal): Promise<void> {
    retries = 1
    let untried = 0
    let hasFailed = false
    for (let problem: unknown = first; refused.size > 0; untried -= maxTried) {
      if (problem && (retries > 1 || untried <= 0)) {
        await pause(clock, retryMsOf(problem, retries), stop.signal)
        untried = refused.size
      }
      if (stop.signal.aborted) return
      retries += 1
      problem = await tryRefused().then(
        (refusal) => {
          hasFailed = false
          return refusal
        },
        (error: unknown) => {
          if (!hasFailed && !stop.signal.aborted) log.warn({ reason: reasonOf(error) }, 'Could not resend rejected results.')
          hasFailed = true
          return error
        },
      )
    }
    retrying = null
    log.info({ backlog: outbox.counts().waiting }, 'Delivery of results resumed for all checks.')
  }

  /**
   * Tries the oldest result of each refused check; once that is stored or gone, the other results of the check follow. Null if none is
   * refused.
   */
  async function tryRefused(): Promise<Refusal | null> {
    const tried = [...refused].slice(0, maxTried)
    const found = await outbox.find(tried.map(([, at]) => at))
    const rows = found.filter((row) => row !== null)
    const refusal = rows.length === 0 ? null : await post(rows)
    await remove(rows.filter((row) => !refusal?.refusedChecks.has(checkOf(row))))
    for (const [check, at] of tried.slice(0, found.length)) {
      refused.delete(check)
      if (refusal?.refusedChecks.has(check)) refused.set(check, at)
      else {
        rewindTo = Math.min(rewindTo, at - 1)
        retries = 1
      }
    }
    wake()
    return refusal
  }

  async function remove(rows: readonly OutboxRow[]): Promise<void> {
    const positions = [...unremoved.splice(0), ...rows.map(({ position }) => position)]
    if (positions.length === 0) return
    await outbox.remove(positions).catch((error: unknown) => {
      onOutboxError(error)
      unremoved = [...unremoved, ...positions]
    })
  }

  /** Returns the refusal of a part of the batch; all other results are stored or permanently rejected. Throws any other refusal. */
  async function post(batch: readonly OutboxRow[]): Promise<Refusal | null> {
    const answer = await connection.send('v1/check-results', {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: batch.map(lineOf).join(''),
      signal: stop.signal,
      timeoutMs: postTimeoutMs,
    })
    const refusal = answer.status === 200 ? null : new Refusal(answer)
    if (refusal && !batch.some((row) => refusal.refusedChecks.has(checkOf(row)))) throw refusal
    logRejected(refusal ? refusal.rejected : (JSON.parse(answer.body) as { rejected: readonly Rejected[] }).rejected)
    return refusal
  }

  function onFailure(error: unknown): number {
    if (stop.signal.aborted) return 0
    failures += 1
    if (failures === 1)
      log.warn({ reason: reasonOf(error), backlog: outbox.counts().waiting }, 'Cannot deliver results. They stay in the outbox.')
    return retryMsOf(error, failures)
  }

  function retryMsOf(error: unknown, failures: number): number {
    const asked = error instanceof Refusal ? (error.retryAfterMs ?? 0) : 0
    return Math.max(asked, jittered(backoffMs(failures, { maxMs: maxBackoffMs }), random))
  }

  function logRejected(rejected: readonly Rejected[]): void {
    if (rejected.length === 0) return
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
      stop.abort()
      await retrying
    },
  }
}

const checkOf = ({ row }: OutboxRow): string => (JSON.parse(row) as { readonly checkId: string }).checkId

/** A result that would be too long with its evidence is sent without it. */
function lineOf({ row, evidence }: OutboxRow): string {
  if (evidence === null) return row
  const line = `${JSON.stringify({ ...JSON.parse(row), evidence: Buffer.from(evidence).toString('base64') })}\n`
  return line.length > maxRowLength ? row : line
}
