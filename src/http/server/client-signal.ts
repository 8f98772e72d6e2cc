import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QuestionOptions } from '../../store/store.ts'
import { probeHalfClosed } from './half-closed.ts'

/** A question in the name of the caller, until the client disconnects. */
export function questionOptions({ caller }: FastifyRequest, reply: FastifyReply): QuestionOptions {
  return { signal: clientSignal(reply), ...(caller && { caller: { account: caller.account.id, key: caller.key.hash } }) }
}

/** Aborts when the client disconnects before it has its answer. A question has many parts, each of which listens. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const stopProbing = probeWithInterim(raw)
  raw.once('close', () => {
    stopProbing()
    if (!raw.writableEnded) controller.abort()
  })
  if (raw.destroyed) controller.abort()
  return controller.signal
}

/** An interim response is ignored by a client that waits, and fails for one that has gone. */
function probeWithInterim(response: ServerResponse): () => void {
  return probeHalfClosed(response, () => {
    if (!response.headersSent && response.req.httpVersion !== '1.0') response.writeProcessing()
  })
}
