import { inspect } from 'node:util'
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads'
import { type CancelReason, control, type ThreadReply, type ThreadRequest, type ThreadStart } from './answer-calls.ts'

/** The thread of a call died or was ended before it answered; `cause` is its error. */
export class ThreadLost extends Error {
  override readonly name: string = 'ThreadLost'
}

/** A call timed out after its time limit, so its thread was ended. */
export class CallOverdue extends ThreadLost {
  override readonly name = 'CallOverdue'
}

/** This machine lacks a resource that a thread needs. Has the form of a system error, as from starting a process. */
export class ThreadNotStarted extends ThreadLost {
  override readonly name = 'ThreadNotStarted'
  readonly code: string
  readonly syscall = 'spawn thread'

  constructor(problem: Error) {
    const code = /E[A-Z]+$/.exec(problem.message)?.[0] ?? 'ERR_WORKER_INIT_FAILED'
    super(`a thread could not be started (${code})`, { cause: problem })
    this.code = code
  }
}

export type ThreadOptions = {
  /** Its name in the log, such as reader. */
  readonly kind: string
  /** The module that answers calls (answer-calls.ts). */
  readonly module: URL
  readonly data?: unknown
  readonly resourceLimits?: ResourceLimits
  /** Whether the thread has a lower priority than the others of the process (Linux only). */
  readonly yields?: boolean
  /** Whether it starts before its first call. */
  readonly isEager?: boolean
  /** Whether calls run concurrently in the thread, so that an overdue one should not fail the others. */
  readonly isShared?: boolean
  /** Called with messages other than replies. */
  readonly onMessage?: (message: unknown) => void
  /** Called when a thread is ended because a call is overdue, or dies by itself; the next call starts another. */
  readonly onLost?: (lost: LostThread) => void
  /** Names a call for the log; by default, its function and the beginning of its arguments. */
  readonly describe?: (name: string, args: readonly unknown[]) => string
}

export type LostThread = { readonly isOverdue: boolean; readonly message: string }

type CallLimits = {
  /** The thread of a call that takes longer is ended and replaced. */
  readonly timeLimitMs: number
  /** Cancels the call; it settles when the thread has answered. */
  readonly signal?: AbortSignal
}

export type Thread = {
  /** Rejects with the error of the function, or with `ThreadLost`. */
  call(name: string, args: readonly unknown[], limits: CallLimits): Promise<unknown>
  /** Ends the thread after the running calls. */
  close(): Promise<void>
  /** Ends the thread now; running calls reject. */
  destroy(): Promise<void>
}

type Pending = {
  readonly name: string
  readonly args: readonly unknown[]
  readonly resolve: (value: unknown) => void
  readonly reject: (problem: unknown) => void
}

/** How long a shared thread may take to answer a ping, which shows that its event loop runs. */
const pingMs = 2000

/**
 * A self-healing worker thread: starts with its first call, and is replaced if it dies or does not answer in time. The replacement starts
 * once the old thread has ended, so that two never write to the same place. Only a shared thread that still responds may finish its other
 * calls meanwhile.
 */
export function openThread(options: ThreadOptions): Thread {
  let current: Running | null = null
  let retired: Running | null = null
  let ending: Promise<unknown> | null = null
  let lastId = 0
  let closed = false

  const start = (): Running => {
    const running = startRunning(options, (problem) => {
      if (current === running) current = null
      if (problem !== undefined && !closed)
        options.onLost?.({ isOverdue: false, message: `A ${options.kind} thread crashed: ${messageOf(problem)}` })
    })
    return running
  }
  const end = (running: Running, problem: ThreadLost) => {
    if (current === running) current = null
    const ended = running.end(problem)
    ending = Promise.allSettled([ending, ended]).then(() => {
      ending = null
    })
    return ended
  }
  /** A shared thread whose event loop runs may finish its other calls. */
  const replace = async (running: Running, problem: CallOverdue) => {
    if (!options.isShared || !(await running.isResponsive())) return end(running, new ThreadLost(problem.message, { cause: problem }))
    if (current !== running) return
    current = null
    if (retired) void end(retired, new ThreadLost(problem.message, { cause: problem }))
    retired = running
    running.whenIdle(() => {
      if (retired === running) retired = null
      void end(running, problem)
    })
  }
  const overdue = (running: Running, id: number, timeLimitMs: number) => {
    const call = running.take(id)
    if (!call) return
    const question = (options.describe ?? beginningOf)(call.name, call.args)
    const problem = new CallOverdue(`${question} timed out after ${timeLimitMs.toLocaleString('en-US')} ms`)
    call.reject(problem)
    options.onLost?.({ isOverdue: true, message: `A ${options.kind} thread was terminated and replaced: ${problem.message}.` })
    void replace(running, problem)
  }

  const destroy = async () => {
    closed = true
    for (const running of [current, retired]) if (running) void end(running, closedThread())
    await ending
  }

  if (options.isEager) current = start()
  return {
    async call(name, args, { timeLimitMs, signal }) {
      if (ending) await endedWithin(ending, timeLimitMs)
      if (closed) throw closedThread()
      current ??= start()
      const running = current
      const id = ++lastId
      const cancel = () => signal && running.cancel(id, reasonOf(signal))
      const timer = setTimeout(overdue, timeLimitMs, running, id, timeLimitMs)
      const answer = running.call(id, name, args)
      if (signal?.aborted) cancel()
      else signal?.addEventListener('abort', cancel)
      try {
        return await answer
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
      }
    },
    async close() {
      closed = true
      await Promise.all([current, retired].map((running) => running && new Promise<void>(running.whenIdle)))
      await destroy()
    },
    destroy,
  }
}

type Running = ReturnType<typeof startRunning>

/** One worker thread; `onDeath` is called if it ends by itself, with its error if there is one. */
function startRunning(options: ThreadOptions, onDeath: (problem?: unknown) => void) {
  const { module, data, yields = false, resourceLimits, onMessage = () => {} } = options
  const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  const worker = startWorker(module, {
    workerData: { data, control: shared, yields } satisfies ThreadStart,
    ...(resourceLimits && { resourceLimits }),
  })
  const pending = new Map<number, Pending>()
  let isEnding = false
  let notifyIdle = () => {}
  let notePong = () => {}

  const send = (request: ThreadRequest) => {
    worker.postMessage(request)
    Atomics.add(shared, control.requests, 1)
    Atomics.notify(shared, control.requests)
  }
  const take = (id: number): Pending | undefined => {
    const call = pending.get(id)
    if (!pending.delete(id)) return undefined
    if (pending.size === 0) {
      worker.unref()
      notifyIdle()
    }
    return call
  }
  const rejectAll = (problem: unknown) => {
    for (const id of [...pending.keys()]) take(id)?.reject(problem)
  }
  const die = (problem?: unknown) => {
    rejectAll(asLost(problem))
    if (!isEnding) onDeath(problem)
    isEnding = true
  }

  worker.on('message', (reply: ThreadReply | object) => {
    if ('pong' in reply) return notePong()
    if (!('id' in reply)) return onMessage(reply)
    const call = take(reply.id)
    if ('problem' in reply) call?.reject(reply.problem)
    else call?.resolve(reply.value)
  })
  worker.on('messageerror', die)
  worker.on('error', die)
  worker.on('exit', () => die())
  worker.unref()

  return {
    take,
    call: (id: number, name: string, args: readonly unknown[]) =>
      new Promise((resolve, reject) => {
        send({ id, name, args })
        pending.set(id, { name, args, resolve, reject })
        if (pending.size === 1) worker.ref()
      }),
    cancel(id: number, reason: CancelReason) {
      Atomics.store(shared, control.cancelled, id)
      send({ cancel: id, reason })
    },
    /** Whether the event loop of the thread runs. */
    async isResponsive(): Promise<boolean> {
      let timer: NodeJS.Timeout | undefined
      const answered = new Promise<boolean>((resolve) => {
        notePong = () => resolve(true)
        timer = setTimeout(resolve, pingMs, false)
      })
      send({ ping: 0 })
      return answered.finally(() => clearTimeout(timer))
    },
    whenIdle(notify: () => void) {
      if (pending.size === 0) return notify()
      const before = notifyIdle
      notifyIdle = () => {
        before()
        notify()
      }
    },
    async end(problem: ThreadLost): Promise<void> {
      isEnding = true
      rejectAll(problem)
      await worker.terminate()
    },
  }
}

function startWorker(module: URL, options: WorkerOptions): Worker {
  try {
    return new Worker(module, options)
  } catch (error) {
    throw asLost(error)
  }
}

function asLost(problem: unknown): ThreadLost {
  if (problem instanceof Error && 'code' in problem && problem.code === 'ERR_WORKER_INIT_FAILED') return new ThreadNotStarted(problem)
  return new ThreadLost(problem === undefined ? 'the thread has ended' : messageOf(problem), { cause: problem })
}

const closedThread = () => new ThreadLost('the thread is closed')

/** A thread that was ended may still be in work that cannot be interrupted, such as I/O on a slow disk. */
async function endedWithin(ending: Promise<unknown>, waitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ThreadLost('a terminated thread is still running')), waitMs)
  })
  await Promise.race([ending, late]).finally(() => clearTimeout(timer))
}

const messageOf = (problem: unknown) => (problem instanceof Error ? problem.message : String(problem))

function reasonOf({ reason }: AbortSignal): CancelReason {
  return reason instanceof Error ? { name: reason.name, message: reason.message } : { name: 'AbortError', message: String(reason) }
}

/** Bounded in length, regardless of the arguments. */
function beginningOf(name: string, args: readonly unknown[]): string {
  const shown = args.map((arg) =>
    inspect(arg, { depth: 4, maxArrayLength: 3, maxStringLength: 100, breakLength: Number.POSITIVE_INFINITY }),
  )
  return `${name} ${shown.join(', ').slice(0, 500)}`.trimEnd()
}
