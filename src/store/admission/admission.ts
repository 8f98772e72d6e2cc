import { type QuestionCaller, StoreUnavailable } from '../store.ts'
import { createBacklog } from './backlog.ts'
import { cheapCost } from './cost.ts'
import { createLedger } from './ledger.ts'

export type AdmissionOptions = {
  readonly threads: number
  readonly maxQueuedPerKey: number
  /** Maximum time in the queue. A question whose expected wait exceeds a third of it is refused immediately. */
  readonly maxWaitMs: number
  readonly now?: () => number
  /** Called with the queue length whenever it changes. */
  readonly onQueue?: (waiting: number) => void
}

/** One call to a thread; `questionCost` is the cost of its whole question. */
type AdmittedCall = {
  readonly caller: QuestionCaller
  readonly cost: number
  readonly questionCost: number
  readonly signal: AbortSignal
}
/** Runs in the thread with this index. */
type Work<T> = (thread: number) => Promise<T>
type Waiting = AdmittedCall & {
  readonly path: readonly string[]
  /** The unique name of the key: account and key as JSON. */
  readonly name: string
  readonly isCheap: boolean
  /** Admission order of its question. */
  readonly order: number
  readonly start: (thread: number) => void
}
type Running = { readonly all: number; readonly expensive: number }

/**
 * Scheduler of the reader threads: decides which queued call runs next, one per thread.
 *
 * Cheap questions come first, and the last thread is reserved for them. Then comes the account with the lowest consumption, and within it
 * the key with the lowest. No key may occupy all threads, and its expensive questions leave one more for its cheap ones. Cheap calls take
 * the last free thread, others the first, where most of their columns are cached.
 *
 * An aborted call rejects immediately: if queued, it never runs; if running, its thread is free when it ends. Calls that share a signal are
 * one question. Only its first call can be refused on arrival: later, finished work would be lost.
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
  const free = new Set(Array.from({ length: threads }, (_, thread) => thread))
  const forExpensive = atLeastOne(threads - 1)
  const perKey: Running = { all: atLeastOne(threads - 1), expensive: atLeastOne(threads - 2) }
  const running = new Map<string, Running>()
  const backlog = createBacklog({ threads: forExpensive, perKey: perKey.expensive })
  /** Admission order of each question, by the signal that its calls share. */
  const orders = new WeakMap<AbortSignal, number>()
  let admitted = 0

  const freeThread = ({ isCheap }: Waiting) => {
    if (isCheap) return Math.max(...free)
    const thread = Math.min(...free)
    return thread < forExpensive ? thread : null
  }
  const atFairShare = ({ name, isCheap }: Waiting) => {
    const own = running.get(name)
    return own !== undefined && (own.all >= perKey.all || (!isCheap && own.expensive >= perKey.expensive))
  }
  const count = ({ name, isCheap }: Waiting, by: number) => {
    const { all, expensive } = running.get(name) ?? { all: 0, expensive: 0 }
    if (all + by === 0) running.delete(name)
    else running.set(name, { all: all + by, expensive: expensive + (isCheap ? 0 : by) })
  }
  const compare = (a: Waiting, b: Waiting) => Number(b.isCheap) - Number(a.isCheap) || ledger.compare(a.path, b.path) || a.order - b.order
  /** Queued calls per key. */
  const queued = new Map<string, number>()
  const enqueue = (call: Waiting): void => {
    waiting.add(call)
    queued.set(call.name, (queued.get(call.name) ?? 0) + 1)
    backlog.enter(call)
    onQueue(waiting.size)
  }
  const dequeue = (call: Waiting): boolean => {
    if (!waiting.delete(call)) return false
    const left = (queued.get(call.name) ?? 1) - 1
    if (left === 0) queued.delete(call.name)
    else queued.set(call.name, left)
    backlog.leave(call)
    onQueue(waiting.size)
    return true
  }
  const startNext = (): void => {
    if (free.size === 0) return
    const next = minBy(
      [...waiting].filter((call) => freeThread(call) !== null && !atFairShare(call)),
      compare,
    )
    if (!next) return
    dequeue(next)
    next.start(freeThread(next) as number)
    startNext()
  }

  const refusalOf = ({ caller }: AdmittedCall, name: string, isCheap: boolean): StoreUnavailable | null => {
    if ((queued.get(name) ?? 0) >= maxQueuedPerKey) return new StoreUnavailable('Too many queries of this key are queued.', 1)
    const waitMs = isCheap ? 0 : backlog.expectedWaitMs(caller)
    if (waitMs <= maxWaitMs / 3) return null
    return new StoreUnavailable('The queued queries of this key already take too long.', Math.ceil(waitMs / 1000))
  }

  return <T>(work: Work<T>, call: AdmittedCall): Promise<T> =>
    new Promise((resolve, reject) => {
      const { caller, cost, questionCost, signal } = call
      const path = [caller.account, caller.key]
      const name = JSON.stringify(path)
      if (signal.aborted) return reject(signal.reason)
      const isCheap = questionCost <= cheapCost
      const refusal = orders.has(signal) ? null : refusalOf(call, name, isCheap)
      if (refusal) return reject(refusal)
      const order = orders.get(signal) ?? admitted++
      orders.set(signal, order)
      const leaveQueue = (reason: unknown) => {
        if (dequeue(entry)) ledger.leave(path)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
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
      const entry: Waiting = { path, name, isCheap, order, start, ...call }
      const timer = setTimeout(() => leaveQueue(new StoreUnavailable('The query was queued too long.', 5)), maxWaitMs).unref()
      signal.addEventListener('abort', onAbort, { once: true })
      ledger.enter(path)
      enqueue(entry)
      startNext()
    })
}

const atLeastOne = (count: number) => Math.max(1, count)

/** The minimum by `compare`; of equal items, the first. */
function minBy<T>(items: readonly T[], compare: (a: T, b: T) => number): T | undefined {
  return items.reduce<T | undefined>((least, item) => (least === undefined || compare(item, least) < 0 ? item : least), undefined)
}
