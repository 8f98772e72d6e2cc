import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket as TcpSocket } from 'node:net'
import { type Answer, decode, encode } from 'dns-packet'
import type { DemoTarget } from '../../checks/demo.ts'
import { createShop } from './shop.ts'

export type LiveTarget = { readonly target: DemoTarget; close(): Promise<void> }

/** A small shop on this machine that the demo's checks call: web server, message queue and name server. */
export async function startTarget(pingToken: string): Promise<LiveTarget> {
  const hostname = '127.0.0.1'
  const web = createServer(createShop())
  const queue = createTcpServer(answerPings)
  const names = createSocket('udp4', (query, from) => answerQuery(names, query, from))
  const [webPort, tcpPort] = [await listen(web, hostname), await listen(queue, hostname)]
  names.bind(0, hostname)
  await once(names, 'listening')
  return {
    target: { url: `http://${hostname}:${webPort}`, hostname, tcpPort, dnsPort: names.address().port, pingToken },
    async close() {
      web.closeAllConnections()
      const closed = Promise.all([web, queue].map((server) => new Promise((resolve) => server.close(resolve))))
      names.close()
      await closed
    },
  }
}

async function listen(server: Server, hostname: string): Promise<number> {
  server.listen(0, hostname)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const silenceMs = 10_000

function answerPings(socket: TcpSocket): void {
  socket.setTimeout(silenceMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (data) => socket.write(data.toString('latin1').startsWith('ping') ? 'pong\n' : 'what?\n'))
}

function answerQuery(socket: Socket, query: Buffer, from: { readonly port: number; readonly address: string }): void {
  const asked = questionOf(query)
  if (asked) socket.send(encode(asked), from.port, from.address)
}

/** Every name lives on this machine; what cannot be read as a question gets no answer. */
function questionOf(query: Buffer) {
  try {
    const { id, questions = [] } = decode(query)
    const answers = questions.flatMap(({ type, name }): Answer[] => (type === 'A' ? [{ type, name, ttl: 60, data: '127.0.0.1' }] : []))
    return { type: 'response' as const, ...(id !== undefined && { id }), flags: 384, questions, answers }
  } catch {
    return undefined
  }
}
