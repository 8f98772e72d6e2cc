import { QueryTooLarge, StoreUnavailable } from '../store.ts'

/** What a thread of a pool is called with; the first number becomes 1 when nobody waits for the answer any more. */
export type PoolCall = { readonly name: string; readonly args: readonly unknown[]; readonly cancelled: Int32Array }

/** An answer, or a refusal as a value: the class of an error is lost on the way between threads. */
export type PoolReply =
  | { readonly value: unknown }
  | { readonly tooLarge: string }
  | { readonly unavailable: string; readonly retryAfterSeconds: number }

/** What the module of a thread exports as `answer`. */
export function answering(work: (call: PoolCall) => unknown): (call: PoolCall) => Promise<PoolReply> {
  return async (call) => {
    try {
      return { value: await work(call) }
    } catch (error) {
      if (error instanceof QueryTooLarge) return { tooLarge: error.message }
      if (error instanceof StoreUnavailable) return { unavailable: error.message, retryAfterSeconds: error.retryAfterSeconds }
      throw error
    }
  }
}

/** The answer; throws a refusal. */
export function answerOf(reply: PoolReply): unknown {
  if ('tooLarge' in reply) throw new QueryTooLarge(reply.tooLarge)
  if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable, reply.retryAfterSeconds)
  return reply.value
}

/** A signal that is aborted once a call is cancelled; `end` must follow the call. */
export function signalOf(cancelled: Int32Array): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController()
  const waiting = Atomics.waitAsync(cancelled, 0, 0)
  void Promise.resolve(waiting.value).then(() => Atomics.load(cancelled, 0) === 1 && controller.abort())
  return { signal: controller.signal, end: () => void Atomics.notify(cancelled, 0) }
}
