import { setTimeout as pause } from 'node:timers/promises'
import { type CheckRef, type FiledResult, type NewResult, type Store, StoreUnavailable, type Window } from '../../src/store/store.ts'
import { span } from '../support/arbitrary-results.ts'

type Tries = { accepted: number; refused: number; longestGapMs: number; acceptedAt: number }

/** Identifies a result, whichever agent has run it. */
export const nameOf = ({ check, result }: FiledResult) => `${check.checkId} ${result.id}`

/** What was sent and what was acknowledged, with counts of the attempts per shard. */
export function createHistory(shardByCheck: ReadonlyMap<string, number>) {
  /** The results of each id: two agents may have run it, a little later and with other values. */
  const sent = new Map<string, readonly FiledResult[]>()
  const acknowledged = new Set<string>()
  const unexpected: unknown[] = []
  const byShard = new Map<number, Tries>()
  const triesOf = ({ checkId }: CheckRef): Tries => {
    const shard = shardByCheck.get(checkId) ?? 0
    const tries = byShard.get(shard) ?? { accepted: 0, refused: 0, longestGapMs: 0, acceptedAt: performance.now() }
    byShard.set(shard, tries)
    return tries
  }
  const within = (filed: FiledResult, check: CheckRef, { from, to }: Window) =>
    filed.check.checkId === check.checkId && filed.result.startedAt >= from && filed.result.startedAt <= to
  return {
    sent,
    acknowledged,
    unexpected,
    sending(filed: FiledResult): void {
      sent.set(nameOf(filed), [...(sent.get(nameOf(filed)) ?? []), filed])
    },
    /**
     * The minimum that a response counts for a check: the results acknowledged before the query. With two replicas, a majority is both,
     * so either one has them; with three, one may lag for a moment.
     */
    fewest(check: CheckRef, window: Window): number {
      return [...acknowledged].filter((name) => sent.get(name)?.every((filed) => within(filed, check, window))).length
    },
    /** The maximum: an id that was sent with two starts counts twice until one of them is voided. */
    most(check: CheckRef, window: Window): number {
      return [...sent.values()].flat().filter((filed) => within(filed, check, window)).length
    },
    accepted(check: CheckRef, names: readonly string[]): void {
      const tries = triesOf(check)
      const now = performance.now()
      tries.accepted++
      tries.longestGapMs = Math.max(tries.longestGapMs, now - tries.acceptedAt)
      tries.acceptedAt = now
      for (const name of names) acknowledged.add(name)
    },
    refused(check: CheckRef, error: unknown): void {
      triesOf(check).refused++
      if (!(error instanceof StoreUnavailable)) unexpected.push(error)
    },
    availability: () =>
      [...byShard]
        .sort(([a], [b]) => a - b)
        .map(
          ([shard, { accepted, refused, longestGapMs }]) =>
            `Shard ${shard}: ${accepted} of ${accepted + refused} calls accepted, at most ${Math.round(longestGapMs / 1000)} s without one.`,
        )
        .join(' '),
  }
}

type WriterOptions = {
  readonly history: ReturnType<typeof createHistory>
  readonly stores: readonly Store[]
  readonly firstNode: number
  readonly checks: readonly CheckRef[]
  readonly location: string
  /** How much later its runs start than those of the other writer with the same ids. */
  readonly laterMs: number
  readonly base: Omit<NewResult, 'id' | 'startedAt' | 'runLocation' | 'values' | 'pages'>
}

const batchSize = 5
/** Spreads the results of each check over all days. */
const slotMs = 7 * 60_000
const slots = Math.floor((span.to - span.from) / slotMs)

/** Sends results of one check after another, and retries rejected ones at the next node, like clients behind a proxy. */
export function startWriter({ history, stores, firstNode, checks, location, laterMs, base }: WriterOptions) {
  let isOver = false
  let isAbandoned = false
  async function write(number: number): Promise<void> {
    const check = checks[number % checks.length] as CheckRef
    const batch = Array.from({ length: batchSize }, (_, i): FiledResult => {
      const serial = number * batchSize + i
      const startedAt = span.from + (serial % slots) * slotMs + Math.floor(serial / slots) * 1000 + laterMs
      const hasFailures = serial % 7 === 0
      const outcome = { hasFailures, error: hasFailures ? `error ${serial} ${laterMs}` : null, attempts: 1 + (serial % 3) }
      const values = { dns: serial / 8 + laterMs, responseTime: serial + laterMs }
      return { check, result: { ...base, ...outcome, id: `${location}-${serial}`, startedAt, runLocation: location, values, pages: [] } }
    })
    for (const filed of batch) history.sending(filed)
    const names = batch.map(nameOf)
    for (let node = firstNode; !isAbandoned; node++) {
      const failure = await (stores[node % stores.length] as Store).append(batch).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      if (failure === null) return history.accepted(check, names)
      history.refused(check, failure.error)
      await pause(100)
    }
  }
  const writing = (async () => {
    for (let number = 0; !isOver; number++) {
      await write(number)
      await pause(50)
    }
  })()
  return {
    /** Resolves once everything that was sent is acknowledged. */
    async finish(): Promise<void> {
      isOver = true
      await writing
    },
    /** Stops retrying. */
    abandon(): void {
      isOver = true
      isAbandoned = true
    },
  }
}
