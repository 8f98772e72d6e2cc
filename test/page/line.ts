import { createServer, connect as open, type Server, type Socket } from 'node:net'

/** A TCP proxy to a server that can be cut and restored at the same address. */
export type Line = { readonly origin: string; cut(): Promise<void>; mend(): Promise<void>; close(): Promise<void> }

export async function openLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const follow = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    return socket
  }
  const listen = async (at: number): Promise<Server> => {
    const server = createServer((near) => {
      const far = follow(open(Number(port), hostname))
      follow(near).pipe(far).pipe(near)
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
    await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
    return server
  }
  let server: Server | null = await listen(0)
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? address.port : 0
  const cut = async () => {
    const closed = new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)))
    for (const socket of sockets) socket.destroy()
    server = null
    await closed
  }
  return {
    origin: `http://127.0.0.1:${own}`,
    cut,
    mend: async () => {
      server = await listen(own)
    },
    close: cut,
  }
}
