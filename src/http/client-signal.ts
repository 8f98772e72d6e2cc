import type { FastifyReply } from 'fastify'

/** Aborts when the client disconnects before it has its answer. */
export function clientSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableEnded) controller.abort()
  })
  return controller.signal
}
