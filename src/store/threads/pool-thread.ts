import { QueryTooLarge, StoreUnavailable } from '../store.ts'

/** An answer, or a refusal as a value: the class of an error is lost on the way between threads. */
export type PoolReply =
  | { readonly value: unknown }
  | { readonly tooLarge: string }
  | { readonly unavailable: string; readonly retryAfterSeconds: number; readonly publicReason: string | null }

/** The calls of a reader thread. */
export function replyOf(work: () => unknown): PoolReply {
  try {
    return { value: work() }
  } catch (error) {
    return refusalOf(error)
  }
}

/** The same for a reader that waits for others. */
export async function asyncReplyOf(work: () => unknown): Promise<PoolReply> {
  try {
    return { value: await work() }
  } catch (error) {
    return refusalOf(error)
  }
}

function refusalOf(error: unknown): PoolReply {
  if (error instanceof QueryTooLarge) return { tooLarge: error.message }
  if (error instanceof StoreUnavailable) {
    const { message, retryAfterSeconds, publicReason } = error
    return { unavailable: message, retryAfterSeconds, publicReason }
  }
  throw error
}

/** The answer; throws a refusal. */
export function answerOf(reply: PoolReply): unknown {
  if ('tooLarge' in reply) throw new QueryTooLarge(reply.tooLarge)
  if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable, reply.retryAfterSeconds, { publicReason: reply.publicReason })
  return reply.value
}
