import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Lets the server close without waiting for its clients. Node closes connections that are idle at that time, but neither those that
 * have not sent a request yet nor those whose answer is still pending.
 */
export function installGracefulClose(app: FastifyInstance): void {
  const { server } = app
  const unused = new Set<Socket>()
  const pending = new Set<ServerResponse>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    unused.delete(socket)
    pending.add(response)
    response.once('close', () => pending.delete(response))
  })
  app.addHook('preClose', async () => {
    server.keepAliveTimeout = 1
    for (const response of pending) response.shouldKeepAlive = false
    for (const socket of unused) socket.destroy()
  })
}
