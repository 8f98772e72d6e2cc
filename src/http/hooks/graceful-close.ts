import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** While the server is closing, every answer must end its connection (`shouldKeepAlive`). */
export type Closing = { readonly isClosing: boolean }

export function watchClosing(app: FastifyInstance): Closing {
  const closing = { isClosing: false }
  app.addHook('preClose', async () => {
    closing.isClosing = true
  })
  return closing
}

/**
 * Lets the server close without waiting for clients. Node itself closes idle connections, but not those that have not sent a request yet.
 */
export function installGracefulClose(app: FastifyInstance): void {
  const { server } = app
  const unused = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.prependListener('request', ({ socket }: IncomingMessage) => void unused.delete(socket))
  app.addHook('preClose', async () => {
    server.keepAliveTimeout = 1
    for (const socket of unused) socket.destroy()
  })
}
