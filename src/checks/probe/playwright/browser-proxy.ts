import { once } from 'node:events'
import { Agent, createServer, request as httpRequest, type IncomingMessage, type RequestOptions, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { asExhaustion, MachineExhausted } from '../exhaustion.ts'
import { failureMessage } from '../failures.ts'
import { connectFirst, resolve } from '../net/connect.ts'
import type { RunContext } from '../run.ts'

export type BrowserProxy = {
  /** The proxy for the pages of a browser. */
  readonly url: string
  /** The proxy for the browser's own calls: it closes every connection, so that only pages reach the network. */
  readonly deadEndUrl: string
  readonly failures: () => readonly ConnectionFailure[]
  /** The resource that this machine lacked for a connection. */
  readonly exhaustion: () => MachineExhausted | null
  readonly close: () => void
}

/** Why a connection failed. */
export type ConnectionFailure = { readonly host: string; readonly reason: string }

/** A loopback proxy that applies the address policy to scripts and their browsers. */
export async function openBrowserProxy(context: RunContext): Promise<BrowserProxy> {
  const failures = new Map<string, string>()
  const open = new Set<Duplex>()
  let exhaustion: MachineExhausted | null = null
  const onExhausted = (error: MachineExhausted) => {
    exhaustion ??= error
  }
  const dial = createDial(context, { failures, onExhausted })
  const agent = dialAgent(dial)
  const server = createServer((request, response) => forward(request, response, agent))
  server.on('connect', (request: IncomingMessage, client: Socket, head: Buffer) => void tunnel(request, client, { dial, head, open }))
  server.on('clientError', (_, socket) => socket.destroy())
  const deadEnd = createNetServer((socket) => socket.on('error', () => {}).destroy())
  return {
    url: await listening(server),
    deadEndUrl: await listening(deadEnd),
    exhaustion: () => exhaustion,
    failures: () => [...failures].map(([host, reason]) => ({ host, reason })),
    close: () => {
      deadEnd.close()
      server.close()
      server.closeAllConnections()
      agent.destroy()
      for (const socket of open) socket.destroy()
    },
  }
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Dial = (hostname: string, port: number) => Promise<Socket>

const maxFailures = 20

type DialOptions = { readonly failures: Map<string, string>; readonly onExhausted: (error: MachineExhausted) => void }

function createDial(context: RunContext, { failures, onExhausted }: DialOptions): Dial {
  return async (hostname, port) => {
    try {
      return await connectFirst(await resolve({ hostname }, context), port, context)
    } catch (error) {
      const host = `${hostname}:${port}`
      const exhaustion = asExhaustion(error, `a connection to ${host}`)
      if (exhaustion instanceof MachineExhausted) onExhausted(exhaustion)
      else if (failures.size < maxFailures) failures.set(host, failureMessage(error, host, context))
      throw error
    }
  }
}

function dialAgent(dial: Dial): Agent {
  const agent = new Agent({ keepAlive: true })
  const createConnection = ({ host, port }: RequestOptions, done: (error: Error | null, socket?: Socket) => void) => {
    dial(host ?? '', Number(port)).then((socket) => done(null, socket), done)
  }
  return Object.assign(agent, { createConnection })
}

/** If the target cannot be reached, the connection is closed, so that no response of the proxy is mistaken for one of the target. */
async function tunnel(request: IncomingMessage, client: Socket, { dial, head, open }: { dial: Dial; head: Buffer; open: Set<Duplex> }) {
  client.on('error', () => client.destroy())
  try {
    const { hostname, port } = new URL(`http://${request.url}`)
    const target = await dial(hostname, Number(port || 80))
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
    if (client.destroyed) target.destroy()
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    target.write(head)
  } catch {
    client.destroy()
  }
}

function forward(request: IncomingMessage, response: ServerResponse, agent: Agent): void {
  const target = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null
  if (target?.protocol !== 'http:') {
    response.writeHead(400).end()
    return
  }
  const upstream = httpRequest({
    agent,
    host: target.hostname,
    port: Number(target.port || 80),
    method: request.method,
    path: target.pathname + target.search,
    headers: endToEnd(request.rawHeaders),
    setHost: false,
  })
  const abort = () => request.socket.destroy()
  upstream.on('error', abort)
  upstream.on('response', (reply) => {
    reply.on('error', abort)
    response.writeHead(reply.statusCode ?? 502, reply.statusMessage, endToEnd(reply.rawHeaders))
    reply.pipe(response)
  })
  response.on('close', () => {
    if (!response.writableFinished) upstream.destroy()
  })
  request.pipe(upstream)
}

const hopByHop = /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => !hopByHop.test(rawHeaders[index - (index % 2)] ?? ''))
}
