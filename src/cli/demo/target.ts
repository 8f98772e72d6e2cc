import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket as TcpSocket } from 'node:net'
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet } from 'dns-packet'
import type { DemoTarget } from '../../checks/demo.ts'
import { logNormal, randomFrom } from './random.ts'
import { type After, createShop } from './shop.ts'

export type LiveTarget = { readonly target: DemoTarget; close(): Promise<void> }

const hostname = '127.0.0.1'
const usualPorts = { web: 8788, tcp: 8789, dns: 8790 }
const anyPorts = { web: 0, tcp: 0, dns: 0 }

/** Free ports for a demo's target: the usual ones, or any others if those are in use. */
export async function freeTarget(pingToken: string): Promise<DemoTarget> {
  const tried = await startTarget(targetAt(usualPorts, pingToken)).catch(() => startTarget(targetAt(anyPorts, pingToken)))
  await tried.close()
  return tried.target
}

/** Starts the services that the demo's checks call: a web shop, a message queue and a name server. */
export async function startTarget({ url, tcpPort, dnsPort, pingToken }: DemoTarget): Promise<LiveTarget> {
  const { after, end } = responseDelays()
  const web = createServer(createShop(after, Date.now))
  const queue = createTcpServer((socket) => answerPings(socket, after))
  const names = createSocket('udp4')
  names.on('message', (query, from) => answerQuery(names, query, from, after))
  const close = async () => {
    end()
    web.closeAllConnections()
    await Promise.all([web, queue, names].map((part) => new Promise<void>((resolve) => part.close(() => resolve()))))
  }
  try {
    const ports = { web: await listen(web, Number(new URL(url).port)), tcp: await listen(queue, tcpPort), dns: await bind(names, dnsPort) }
    return { target: targetAt(ports, pingToken), close }
  } catch (error) {
    await close()
    throw error
  }
}

function targetAt({ web, tcp, dns }: typeof usualPorts, pingToken: string): DemoTarget {
  return { url: `http://${hostname}:${web}`, hostname, tcpPort: tcp, dnsPort: dns, pingToken }
}

/** Delays responses as long as in the generated results, so that live results continue them. */
function responseDelays(): { readonly after: After; end(): void } {
  const random = randomFrom(Date.now())
  let over = false
  return {
    after: (typicalMs, act) => setTimeout(() => over || act(), logNormal(random, typicalMs, 0.25)),
    end: () => {
      over = true
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, hostname)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function bind(socket: Socket, port: number): Promise<number> {
  socket.bind(port, hostname)
  await once(socket, 'listening')
  return socket.address().port
}

const idleTimeoutMs = 10_000

function answerPings(socket: TcpSocket, after: After): void {
  socket.setTimeout(idleTimeoutMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('data', (data) => {
    const answer = data.toString('latin1').startsWith('ping') ? 'pong\n' : 'what?\n'
    after(3, () => socket.writable && socket.write(answer))
  })
}

function answerQuery(socket: Socket, query: Buffer, { port, address }: RemoteInfo, after: After): void {
  const answer = answerTo(query)
  if (answer) after(4, () => socket.send(encode(answer), port, address))
}

/** Resolves every name to this machine; ignores malformed queries. */
function answerTo(query: Buffer): Packet | undefined {
  try {
    const { id = 0, questions = [] } = decode(query)
    const answers = questions.flatMap(({ type, name }): Answer[] => (type === 'A' ? [{ type, name, ttl: 60, data: hostname }] : []))
    return { type: 'response', id, flags: AUTHORITATIVE_ANSWER, questions, answers }
  } catch {
    return undefined
  }
}
