import { setTimeout as pause } from 'node:timers/promises'
import { type CheckRef, type NewResult, type Store, StoreUnavailable } from '../../src/store/store.ts'
import { span } from '../support/arbitrary-results.ts'

type Tries = { accepted: number; refused: number; longestGapMs: number; acceptedAt: number }

/** What was sent, and what of it was acknowledged, with how often each shard took what it was sent. */
export function createHistory(shardByCheck: ReadonlyMap<string, number>) {
  const sent = new Set<string>()
  const acknowledged = new Set<string>()
  const unexpected: unknown[] = []
  const byShard = new Map<number, Tries>()
  const triesOf = ({ checkId }: CheckRef): Tries => {
    const shard = shardByCheck.get(checkId) ?? 0
    const tries = byShard.get(shard) ?? { accepted: 0, refused: 0, longestGapMs: 0, acceptedAt: performance.now() }
    byShard.set(shard, tries)
    return tries
  }
  return {
    sent,
    acknowledged,
    unexpected,
    accepted(check: CheckRef, ids: readonly string[]): void {
      const tries = triesOf(check)
      const now = performance.now()
      tries.accepted++
      tries.longestGapMs = Math.max(tries.longestGapMs, now - tries.acceptedAt)
      tries.acceptedAt = now
      for (const id of ids) acknowledged.add(id)
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
  /** By how much its runs start later than those of the other writer with the same ids. */
  readonly laterMs: number
  readonly base: Omit<NewResult, 'id' | 'startedAt' | 'runLocation' | 'values' | 'pages'>
}

const batchSize = 5

/** Sends results of one check after the other, and what is refused again to the next node, as clients behind a proxy do. */
export function startWriter({ history, stores, firstNode, checks, location, laterMs, base }: WriterOptions) {
  let isOver = false
  let isAbandoned = false
  async function write(number: number): Promise<void> {
    const check = checks[number % checks.length] as CheckRef
    const batch = Array.from({ length: batchSize }, (_, i) => {
      const serial = number * batchSize + i
      const startedAt = span.from + serial * 1000 + laterMs
      return {
        check,
        result: { ...base, id: `${location}-${serial}`, startedAt, runLocation: location, values: { dns: serial / 8 }, pages: [] },
      }
    })
    const ids = batch.map(({ result }) => `${check.checkId} ${result.id}`)
    for (const id of ids) history.sent.add(id)
    for (let node = firstNode; !isAbandoned; node++) {
      const failure = await (stores[node % stores.length] as Store).append(batch).then(
        () => null,
        (error: unknown) => ({ error }),
      )
      if (failure === null) return history.accepted(check, ids)
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
    /** Ends once what was sent is acknowledged. */
    async finish(): Promise<void> {
      isOver = true
      await writing
    },
    /** Sends nothing again. */
    abandon(): void {
      isOver = true
      isAbandoned = true
    },
  }
}
