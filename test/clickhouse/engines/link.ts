import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type Address = { readonly host: string; readonly port: number }

/** A TCP proxy that simulates the network between two processes. */
export type Link = {
  /** From now on nothing arrives on either side and no connection is refused, as with a pulled cable. */
  cut(): void
  /** Resets all open connections; new ones work again. */
  heal(): void
  close(): Promise<void>
}

export async function startLink(from: Address, to: Address): Promise<Link> {
  const open = new Set<Socket>()
  let isCut = false
  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client, open)
    if (isCut) return
    const upstream = track(connect({ ...to, allowHalfOpen: true }), open)
    client.pipe(upstream).pipe(client)
    client.once('error', () => upstream.destroy())
    upstream.once('error', () => client.destroy())
  })
  await once(server.listen(from.port, from.host), 'listening')
  const reset = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    cut() {
      isCut = true
      for (const socket of open) socket.unpipe().pause()
    },
    heal() {
      isCut = false
      reset()
    },
    async close() {
      const closed = once(server.close(), 'close')
      reset()
      await closed
    },
  }
}

function track(socket: Socket, open: Set<Socket>): Socket {
  open.add(socket)
  return socket.on('error', () => {}).once('close', () => open.delete(socket))
}
