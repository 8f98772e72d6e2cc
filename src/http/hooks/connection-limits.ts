import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type ApiError, apiError } from '../../errors.ts'
import { isRecent, minuteMs } from '../../time.ts'
import type { Deps } from '../route.ts'
import { endWithError } from './error-replies.ts'

type LimitDeps = Pick<Deps, 'catalogue' | 'clock' | 'log'>

/** Refused connections that stay open for a moment, so that clients can read why. Further ones are closed without a response. */
const maxRefused = 200

/**
 * Enforces the total and per-client connection limits before a request is read. A client may not hold more connections than are left for
 * all others, so that a few clients cannot take them all, unless its limit is as high as the total. Install after all other listeners.
 */
export function installConnectionLimits({ server }: FastifyInstance, { catalogue, clock, log }: LimitDeps): void {
  const accept = server.listeners('connection')
  const byClient = new Map<string, number>()
  let all = 0
  let refused = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  const refusalOf = (client: string): ApiError | null => {
    const { connections, connectionsPerAddress } = catalogue.service().limits
    if (all >= connections) return tooMany(connections, 'in all')
    const left = connectionsPerAddress >= connections ? connections : connections - all
    const own = byClient.get(client) ?? 0
    return own >= Math.min(connectionsPerAddress, left) ? tooMany(own, 'from your address') : null
  }
  const count = (client: string, change: 1 | -1) => {
    all += change
    const own = (byClient.get(client) ?? 0) + change
    if (own === 0) byClient.delete(client)
    else byClient.set(client, own)
  }
  const refuse = (socket: Socket, address: string, refusal: ApiError): void => {
    if (!isRecent(loggedAt, minuteMs, clock.now())) {
      loggedAt = clock.now()
      log.warn({ address }, `connection refused: ${refusal.message}`)
    }
    if (refused >= maxRefused) {
      socket.destroy()
      return
    }
    refused++
    socket.once('close', () => refused--)
    endWithError(socket, refusal)
    socket.on('error', () => socket.destroy()).resume()
  }

  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const client = addressBlock(address)
    const refusal = refusalOf(client)
    if (refusal) return refuse(socket, address, refusal)
    count(client, 1)
    socket.once('close', () => count(client, -1))
    for (const listener of accept) listener.call(server, socket)
  })
}

const tooMany = (limit: number, which: string) => apiError('TOO_MANY_CONNECTIONS', { limit, which }, { 'retry-after': '1' })

/** Identifies a client by its IPv4 address, or by the /64 of its IPv6 address, since a network usually owns a whole /64. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail = ''] = address.split('::', 2)
  const given = groupsOf(head)
  const zeros = Array.from({ length: 8 - given.length - groupsOf(tail).length }, () => '0')
  return `${[...given, ...zeros, ...groupsOf(tail)].slice(0, 4).join(':')}::/64`
}

function groupsOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(':')
}
