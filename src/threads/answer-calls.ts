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

/** The words of the memory that a thread shares with its owner. */
export const control = {
  /** Changes with every request. */
  requests: 0,
  /** The id of the last call that was cancelled. */
  cancelled: 1,
} as const

/** The workerData of a thread. */
export type ThreadStart<Data = unknown> = {
  readonly data: Data
  readonly control: Int32Array
  /** Whether other threads go first. */
  readonly yields: boolean
}

/** A call in its thread. */
type ReceivedCall = {
  readonly name: string
  readonly args: readonly unknown[]
  /** Whether the answer is not wanted any more, as far as can be seen without the event loop: for threads with one call at a time. */
  isCancelled(): boolean
}
type AsyncCall = ReceivedCall & { readonly signal: AbortSignal }

const started = workerData as ThreadStart

/** The data that `openThread` was given. */
export const threadData = <Data>(): Data => started.data as Data

/** Lets the other threads go first where processors are scarce. Only Linux has a priority for each thread: elsewhere it is the process's. */
function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + 10))
  } catch {
    // A sandbox may forbid the call; the thread still answers.
  }
}

/** Answers the calls of a thread; several at a time where `work` is asynchronous. */
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
 * Answers the calls of a thread one after the other, synchronously. Between calls the thread sleeps without its event loop, which makes a
 * round trip shorter; nothing else can happen in such a thread.
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
    // Another tick, so that promises and weak references of the last call are settled.
    process.nextTick(wait)
  }
  wait()
}

/** Calls the functions of a module. */
export function functionsOf<Module extends object>(module: Module): (call: ReceivedCall) => unknown {
  return ({ name, args }) => (module[name as keyof Module] as (...args: readonly unknown[]) => unknown)(...args)
}

const isCancelled = (id: number) => () => Atomics.load(started.control, control.cancelled) === id

/** An answer that cannot be sent is a problem of its call. */
function reply(port: MessagePort, answer: ThreadReply & { readonly id: number }): void {
  try {
    port.postMessage(answer)
  } catch (problem) {
    port.postMessage({ id: answer.id, problem: new Error(String(problem)) } satisfies ThreadReply)
  }
}
