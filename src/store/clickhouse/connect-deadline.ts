import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

type ConnectOptions = {
  readonly maxSockets: number
  /** Certificates that sign that of the server; null for those that Node trusts. */
  readonly ca: Uint8Array | null
  /** How long a connection may take, with its handshake. */
  readonly connectMs: number
}

/** Keeps connections to a server, and gives up one that is not there in time: a host that drops packets answers nothing at all. */
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
