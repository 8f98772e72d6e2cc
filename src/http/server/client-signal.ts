import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QuestionOptions } from '../../store/store.ts'

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

const probeMs = 1000

/**
 * A client that has closed its sending side may have gone, or may still wait for its answer: only a write can detect it. Calls `probe`, which writes
 * bytes that such a client ignores, once a second from then on, also where it had closed before; returns a stop function.
 */
export function probeHalfClosed({ socket }: ServerResponse, probe: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const start = () => {
    timer = setInterval(probe, probeMs).unref()
  }
  if (socket?.readableEnded) start()
  else socket?.once('end', start)
  return () => {
    clearInterval(timer)
    socket?.off('end', start)
  }
}
