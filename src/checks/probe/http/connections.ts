import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { type CallContext, connectFirst, literalAddress, resolve } from '../net/connect.ts'
import { assertTrusted, startTls } from '../net/tls.ts'
import type { IpFamily } from '../settings.ts'
import type { HttpWatch } from './http-watch.ts'

/** The connections of one run: requests to the same origin share a connection, requests to the same host a DNS lookup. */
export type Connections = {
  /** The agent for a request. Unless `reused` is set, a new connection replaces the existing one of that origin. */
  agentFor(url: URL, options: { readonly reused: boolean }): Agent
  close(): void
}

export type ConnectionOptions = {
  readonly watch: HttpWatch
  readonly context: CallContext
  readonly ipFamily: IpFamily | undefined
  readonly skipTls: boolean
  /** Receives the remaining days of a server's certificate. */
  readonly onCertificate: (daysRemaining: number) => void
}

export function openConnections(options: ConnectionOptions): Connections {
  const agents = new Map<string, Agent>()
  const addressesOf = cachedAddresses(options)
  return {
    agentFor(url, { reused }) {
      const existing = agents.get(url.origin)
      if (existing && reused) return existing
      existing?.destroy()
      const agent = connectingAgent(() => connect(url, addressesOf, options))
      agents.set(url.origin, agent)
      return agent
    },
    close() {
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

type AddressesOf = (hostname: string) => Promise<readonly string[]>

function cachedAddresses({ context, ipFamily }: ConnectionOptions): AddressesOf {
  const found = new Map<string, Promise<readonly string[]>>()
  return (hostname) => {
    const addresses = found.get(hostname) ?? resolve({ hostname, ipFamily }, context)
    found.set(hostname, addresses)
    return addresses
  }
}

/** One connection at a time, kept open between requests. */
function connectingAgent(open: () => Promise<Socket>): Agent {
  const createConnection = (_: object, done: (error: Error | null, socket?: Socket) => void) => {
    open().then((socket) => done(null, socket), done)
  }
  return Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), { createConnection })
}

async function connect(url: URL, addressesOf: AddressesOf, { watch, context, skipTls, onCertificate }: ConnectionOptions): Promise<Socket> {
  const encrypted = url.protocol === 'https:'
  if (literalAddress(url.hostname) === null) watch.start('dns', 'DNS lookup')
  const addresses = await addressesOf(url.hostname)
  watch.start('tcp', 'connect')
  const plain = await connectFirst(addresses, Number(url.port) || (encrypted ? 443 : 80), context)
  if (!encrypted) return plain
  watch.start('firstByte', 'TLS handshake')
  try {
    const secured = await startTls(plain, url.hostname, context.signal)
    if (secured.daysRemaining !== null) onCertificate(secured.daysRemaining)
    if (!skipTls) assertTrusted(secured)
    return secured.socket
  } catch (error) {
    plain.destroy()
    throw error
  }
}
