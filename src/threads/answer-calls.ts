import { constants, getPriority, setPriority } from 'node:os'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'

/** A message to a thread: a call, its cancellation, or a heartbeat request. */
export type ThreadRequest = CallRequest | { readonly cancel: number; readonly reason: CancelReason } | { readonly ping: number }
type CallRequest = { readonly id: number; readonly name: string; readonly args: readonly unknown[] }
export type CancelReason = { readonly name: string; readonly message: string }

export type ThreadReply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly problem: unknown }
  | { readonly pong: number }

/** Indexes into the memory that a thread shares with its owner. */
export const control = {
  /** Incremented with every request. */
  requests: 0,
  /** The id of the last cancelled call. */
  cancelled: 1,
} as const

/** The workerData of a thread. */
export type ThreadStart<Data = unknown> = {
  readonly data: Data
  readonly control: Int32Array
  /** Whether the thread has a lower priority than others. */
  readonly yields: boolean
}

/** A call as its thread receives it. */
type ReceivedCall = {
  readonly name: string
  readonly args: readonly unknown[]
  /** Whether the call was cancelled, checked without the event loop. Only for threads that handle one call at a time. */
  isCancelled(): boolean
}
type AsyncCall = ReceivedCall & { readonly signal: AbortSignal }

const started = workerData as ThreadStart

/** The data passed to `openThread`. */
export const threadData = <Data>(): Data => started.data as Data

/** Lowers the priority of this thread below the others. Only Linux has priorities per thread; elsewhere it would be the whole process. */
function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + 10))
  } catch {
    // A sandbox may forbid the call; the thread still answers.
  }
}

/** Handles the calls of a thread, several at a time if `work` is asynchronous. */
export function answerCalls(work: (call: AsyncCall) => unknown): void {
  if (started.yields) yieldToOtherThreads()
  const port = parentPort as MessagePort
  const controllers = new Map<number, AbortController>()
  const answer = async ({ id, name, args }: CallRequest) => {
    const controller = new AbortController()
    controllers.set(id, controller)
    try {
      reply(port, { id, value: await work({ name, args, isCancelled: isCancelled(id), signal: controller.signal }) })
    } catch (problem) {
      reply(port, { id, problem })
    } finally {
      controllers.delete(id)
    }
  }
  port.on('message', (request: ThreadRequest) => {
    if ('ping' in request) port.postMessage({ pong: request.ping } satisfies ThreadReply)
    else if ('cancel' in request) controllers.get(request.cancel)?.abort(new DOMException(request.reason.message, request.reason.name))
    else void answer(request)
  })
}

/**
 * Handles the calls of a thread one after the other, synchronously. Between calls the thread blocks without its event loop, which makes
 * round trips shorter; nothing else can run in such a thread.
 */
export function answerBlocking(work: (call: ReceivedCall) => unknown): void {
  if (started.yields) yieldToOtherThreads()
  const port = parentPort as MessagePort
  const answer = ({ id, name, args }: CallRequest) => {
    try {
      reply(port, { id, value: work({ name, args, isCancelled: isCancelled(id) }) })
    } catch (problem) {
      reply(port, { id, problem })
    }
  }
  let seen = 0
  const wait = () => {
    Atomics.wait(started.control, control.requests, seen)
    seen = Atomics.load(started.control, control.requests)
    for (let received = receiveMessageOnPort(port); received; received = receiveMessageOnPort(port)) {
      if ('name' in received.message) answer(received.message)
    }
    // In a new tick, so that promises and weak references of the last call are settled.
    process.nextTick(wait)
  }
  wait()
}

/** Dispatches calls to the functions of a module. */
export function functionsOf<Module extends object>(module: Module): (call: ReceivedCall) => unknown {
  return ({ name, args }) => (module[name as keyof Module] as (...args: readonly unknown[]) => unknown)(...args)
}

const isCancelled = (id: number) => () => Atomics.load(started.control, control.cancelled) === id

/** If the answer cannot be sent, the call rejects. */
function reply(port: MessagePort, answer: ThreadReply & { readonly id: number }): void {
  try {
    port.postMessage(answer)
  } catch (problem) {
    port.postMessage({ id: answer.id, problem: new Error(String(problem)) } satisfies ThreadReply)
  }
}
