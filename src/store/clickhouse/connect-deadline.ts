import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

type ConnectOptions = {
  readonly maxSockets: number
  /** CA certificates for the server's certificate; null for those that Node trusts. */
  readonly ca: Uint8Array | null
  /** Timeout for connecting, including the TLS handshake. */
  readonly connectMs: number
}

/** Keep-alive agent with a connect timeout: a host that drops packets never answers at all. */
export function connectingAgent(url: string, { maxSockets, ca, connectMs }: ConnectOptions): HttpAgent {
  const options = { keepAlive: true, maxSockets, ...(ca && { ca: Buffer.from(ca) }) }
  const isTls = new URL(url).protocol === 'https:'
  const agent = isTls ? new HttpsAgent(options) : new HttpAgent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (args: ClientRequestArgs, callback?: (error: Error | null, stream: Duplex) => void) => {
    const socket = connect(args, callback)
    if (socket) endUnlessConnected(socket as Socket, isTls ? 'secureConnect' : 'connect', connectMs)
    return socket
  }
  return agent
}

function endUnlessConnected(socket: Socket, connected: 'connect' | 'secureConnect', connectMs: number): void {
  const late = () =>
    socket.destroy(Object.assign(new Error(`It took longer than ${connectMs / 1000} s to connect.`), { code: 'ETIMEDOUT' }))
  const timer = setTimeout(late, connectMs)
  const stop = () => clearTimeout(timer)
  socket.once(connected, stop)
  socket.once('close', stop)
}
