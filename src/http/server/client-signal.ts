import { setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QuestionOptions } from '../../store/store.ts'

/** Charges a query to the caller, and aborts it when the client disconnects. */
export function questionOptions({ caller }: FastifyRequest, reply: FastifyReply): QuestionOptions {
  return { signal: clientSignal(reply), ...(caller && { caller: { account: caller.account.id, key: caller.key.hash } }) }
}

/** Aborts when the client disconnects before it has its answer. Has no listener limit, since each part of a query listens. */
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

/** A waiting client ignores an interim response; writing one fails if the client has gone. */
function probeWithInterim(response: ServerResponse): () => void {
  return probeHalfClosed(response, () => {
    if (!response.headersSent && response.req.httpVersion !== '1.0') response.writeProcessing()
  })
}

const probeMs = 1000

/**
 * Calls `probe` once a second after the client has closed its sending side, even if that was before this call. Only a write can detect
 * whether such a client has gone, so `probe` must write bytes that it ignores. Returns a stop function.
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
