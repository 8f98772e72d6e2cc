import net, { type Socket } from 'node:net'
import { listening } from './servers.ts'

export type FlakyProxy = { readonly url: string; heal(): void; cuts(): number }

/** A TCP proxy that delays data and cuts connections after a random number of bytes in either direction, until it is healed. */
export async function flakyProxy(target: () => string, random: () => number): Promise<FlakyProxy> {
  let isHealthy = false
  let cuts = 0
  const open = new Set<Socket>()

  const forward = (from: Socket, to: Socket) => {
    // Some connections last longer, but every one is cut: an agent with a permanent connection would see no more faults.
    let left = isHealthy ? Number.POSITIVE_INFINITY : Math.floor(random() * (random() < 0.3 ? 20_000 : 3000))
    from.on('data', async (chunk: Buffer) => {
      from.pause()
      if (!isHealthy) await new Promise((resolve) => setTimeout(resolve, random() * 30))
      to.write(chunk.subarray(0, Math.min(left, chunk.length)))
      left -= chunk.length
      if (left <= 0) {
        cuts++
        to.end()
        from.destroy()
      }
      from.resume()
    })
    from.on('error', () => to.destroy()).on('close', () => to.end())
  }

  const server = net.createServer((client) => {
    const { hostname, port } = new URL(target())
    const upstream = net.connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    }
    forward(client, upstream)
    forward(upstream, client)
  })
  const port = await listening(server)
  return {
    url: `http://127.0.0.1:${port}`,
    heal() {
      isHealthy = true
      for (const socket of open) socket.destroy()
    },
    cuts: () => cuts,
  }
}
