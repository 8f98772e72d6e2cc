import { QueryTooLarge, StoreUnavailable } from '../store.ts'

/** An answer, or a refusal as a value: errors lose their class between threads. */
export type PoolReply =
  | { readonly value: unknown }
  | { readonly tooLarge: string }
  | { readonly unavailable: string; readonly retryAfterSeconds: number; readonly publicReason: string | null }

/** Runs a call of a reader thread; turns a refusal into a reply. */
export function replyOf(work: () => unknown): PoolReply {
  try {
    return { value: work() }
  } catch (error) {
    return refusalOf(error)
  }
}

/** As `replyOf`, for an asynchronous reader. */
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

/** Returns the answer of a reply, or throws its refusal. */
export function answerOf(reply: PoolReply): unknown {
  if ('tooLarge' in reply) throw new QueryTooLarge(reply.tooLarge)
  if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable, reply.retryAfterSeconds, { publicReason: reply.publicReason })
  return reply.value
}
