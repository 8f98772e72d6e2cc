import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type ApiError, apiError } from '../../errors.ts'
import { minuteMs } from '../../time.ts'
import type { Deps } from '../route.ts'
import { endWithError } from './error-replies.ts'

type LimitDeps = Pick<Deps, 'catalogue' | 'clock' | 'log'>

/** Refuses connections beyond the limits, in all and of one address, before a request is read. Must be installed after all listeners. */
export function installConnectionLimits({ server }: FastifyInstance, { catalogue, clock, log }: LimitDeps): void {
  const accept = server.listeners('connection')
  const byAddress = new Map<string, number>()
  let all = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  const refusalOf = (address: string): ApiError | null => {
    const { connections, connectionsPerAddress } = catalogue.service().limits
    if (all >= connections) return tooMany(connections, 'in all')
    return (byAddress.get(address) ?? 0) >= connectionsPerAddress ? tooMany(connectionsPerAddress, 'from your address') : null
  }
  const count = (address: string, change: 1 | -1) => {
    all += change
    const own = (byAddress.get(address) ?? 0) + change
    if (own === 0) byAddress.delete(address)
    else byAddress.set(address, own)
  }
  const refuse = (socket: Socket, address: string, refusal: ApiError) => {
    if (clock.now() - loggedAt >= minuteMs) {
      loggedAt = clock.now()
      log.warn({ address }, `a connection was refused: ${refusal.message}`)
    }
    endWithError(socket, refusal)
    socket.on('error', () => socket.destroy()).resume()
  }

  server.removeAllListeners('connection').on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const refusal = refusalOf(address)
    if (refusal) return refuse(socket, address, refusal)
    count(address, 1)
    socket.once('close', () => count(address, -1))
    for (const listener of accept) listener.call(server, socket)
  })
}

const tooMany = (limit: number, which: string) => apiError('TOO_MANY_CONNECTIONS', { limit, which }, { 'retry-after': '1' })
