import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QuestionOptions } from '../store/store.ts'

/** A question in the name of the caller, until the client disconnects. */
export function questionOptions({ caller }: FastifyRequest, reply: FastifyReply): QuestionOptions {
  return { signal: clientSignal(reply), ...(caller && { caller: { account: caller.account.id, key: caller.key.hash } }) }
}

/** How often a client that has closed its sending side is probed. */
const probeMs = 1000

/** Aborts when the client disconnects before it has its answer. A question has many parts, each of which listens. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const stopProbing = probeHalfClosed(raw)
  raw.once('close', () => {
    stopProbing()
    if (!raw.writableEnded) controller.abort()
  })
  if (raw.destroyed) controller.abort()
  return controller.signal
}

/**
 * A client that has closed its sending side may have gone, or may still wait for its answer: only writing tells. An interim response is
 * ignored by one that waits, and fails for one that has gone.
 */
function probeHalfClosed(response: ServerResponse): () => void {
  const { socket } = response
  let timer: NodeJS.Timeout | undefined
  const probe = () => {
    if (!response.headersSent && response.req.httpVersion !== '1.0') response.writeProcessing()
  }
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
