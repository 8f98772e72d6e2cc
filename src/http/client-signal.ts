import { setMaxListeners } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QuestionOptions } from '../store/store.ts'

/** A question in the name of the caller, until the client disconnects. */
export function questionOptions({ caller }: FastifyRequest, reply: FastifyReply): QuestionOptions {
  return { signal: clientSignal(reply), ...(caller && { caller: { account: caller.account.id, key: caller.key.hash } }) }
}

/** Aborts when the client disconnects before it has its answer. A question has many parts, each of which listens. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  raw.once('close', () => {
    if (!raw.writableEnded) controller.abort()
  })
  return controller.signal
}
