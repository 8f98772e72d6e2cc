import { type QuestionCaller, StoreUnavailable } from '../store.ts'
import { createBacklog } from './backlog.ts'
import { cheapCost } from './cost.ts'
import { createLedger } from './ledger.ts'

export type AdmissionOptions = {
  readonly threads: number
  /** How many calls of one key may wait. */
  readonly maxQueuedPerKey: number
  /** How long a call may wait. A question that is expected to wait for a third of it is refused at once. */
  readonly maxWaitMs: number
  readonly now?: () => number
  /** Told how many calls wait, whenever that changes. */
  readonly onQueue?: (waiting: number) => void
}

/** A call to a thread: who asks, what it costs, and what the whole question costs that it is part of. */
export type Call = {
  readonly caller: QuestionCaller
  readonly cost: number
  readonly questionCost: number
  readonly signal: AbortSignal
}
/** Runs in the thread of this index. */
type Work<T> = (thread: number) => Promise<T>
type Waiting = Call & {
  readonly path: readonly string[]
  readonly isCheap: boolean
  /** Of the first call of its question. */
  readonly order: number
  readonly start: (thread: number) => void
}

/**
 * Decides which call runs next, one per thread. Cheap questions come first, and the last thread is kept for them; then the account comes
 * that has consumed least, and of its keys the one that has consumed least. While others wait, no key has all threads for expensive
 * questions, however little it has consumed. The first free thread is taken, since it has most in its cache.
 * A call that is aborted rejects at once: if it still waits it never runs, if it is running its thread is free when it ends.
 * A question is refused by its first call or not at all, and calls of one signal are one question: what it has cost would be lost.
 */
export function createAdmission({
  threads,
  maxQueuedPerKey,
  maxWaitMs,
  onQueue = () => {},
  now = () => performance.now(),
}: AdmissionOptions) {
  const waiting = new Set<Waiting>()
  const ledger = createLedger()
  const forExpensive = Math.max(1, threads - 1)
  const free = new Set(Array.from({ length: threads }, (_, thread) => thread))
  const backlog = createBacklog({ waiting, threads: forExpensive })
  /** The order in which questions were admitted, by the signal that their calls share. */
  const orders = new WeakMap<AbortSignal, number>()
  let admitted = 0

  const freeThread = ({ isCheap }: Waiting) => {
    const thread = Math.min(...free)
    return thread < (isCheap ? threads : forExpensive) ? thread : null
  }
  const running = new Map<string, number>()
  const count = (call: Waiting, by: number) => {
    if (!call.isCheap) running.set(keyOf(call), runningOf(call) + by)
    if (runningOf(call) === 0) running.delete(keyOf(call))
  }
  const runningOf = (call: Waiting) => running.get(keyOf(call)) ?? 0
  const hasItsShare = (call: Waiting) => !call.isCheap && runningOf(call) >= forExpensive - 1
  const compare = (a: Waiting, b: Waiting) =>
    Number(b.isCheap) - Number(a.isCheap) ||
    Number(hasItsShare(a)) - Number(hasItsShare(b)) ||
    ledger.compare(a.path, b.path) ||
    a.order - b.order
  const startNext = (): void => {
    const next = firstBy(
      [...waiting].filter((call) => freeThread(call) !== null),
      compare,
    )
    if (!next) return
    waiting.delete(next)
    onQueue(waiting.size)
    next.start(freeThread(next) as number)
    startNext()
  }
  const queuedBy = (path: readonly string[]) => [...waiting].filter((other) => other.path.every((name, i) => name === path[i])).length

  const refusalOf = ({ caller }: Call, path: readonly string[], isCheap: boolean): StoreUnavailable | null => {
    if (queuedBy(path) >= maxQueuedPerKey) return new StoreUnavailable('Too many questions of this key wait to be answered.', 1)
    const waitMs = isCheap ? 0 : backlog.expectedWaitMs(caller)
    if (waitMs <= maxWaitMs / 3) return null
    return new StoreUnavailable('The questions of this key that wait take too long already.', Math.ceil(waitMs / 1000))
  }

  return <T>(work: Work<T>, call: Call): Promise<T> =>
    new Promise((resolve, reject) => {
      const { caller, cost, questionCost, signal } = call
      const path = [caller.account, caller.key]
      if (signal.aborted) return reject(signal.reason)
      const isCheap = questionCost <= cheapCost
      const refusal = orders.has(signal) ? null : refusalOf(call, path, isCheap)
      if (refusal) return reject(refusal)
      const order = orders.get(signal) ?? admitted++
      orders.set(signal, order)
      const leaveQueue = (reason: unknown) => {
        if (waiting.delete(entry)) ledger.leave(path)
        onQueue(waiting.size)
        clearTimeout(timer)
        reject(reason)
      }
      const onAbort = () => leaveQueue(signal.reason)
      const start = (thread: number) => {
        clearTimeout(timer)
        free.delete(thread)
        ledger.charge(path, cost)
        count(entry, 1)
        const startedAt = now()
        work(thread)
          .then(resolve, reject)
          .finally(() => {
            free.add(thread)
            count(entry, -1)
            if (!isCheap) backlog.observe(cost, now() - startedAt)
            ledger.leave(path)
            signal.removeEventListener('abort', onAbort)
            startNext()
          })
      }
      const entry: Waiting = { ...call, path, isCheap, order, start }
      const timer = setTimeout(() => leaveQueue(new StoreUnavailable('The question waited too long for others.', 5)), maxWaitMs).unref()
      signal.addEventListener('abort', onAbort, { once: true })
      ledger.enter(path)
      waiting.add(entry)
      onQueue(waiting.size)
      startNext()
    })
}

const keyOf = ({ path }: Waiting) => JSON.stringify(path)

/** The first of the least items. */
function firstBy<T>(items: readonly T[], compare: (a: T, b: T) => number): T | undefined {
  return items.reduce<T | undefined>((least, item) => (least === undefined || compare(item, least) < 0 ? item : least), undefined)
}
