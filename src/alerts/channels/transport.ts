import { failureMessage } from '../../checks/probe/failures.ts'
import { openConnections } from '../../checks/probe/http/connections.ts'
import { exchange } from '../../checks/probe/http/exchange.ts'
import { urlParts } from '../../checks/probe/http/http-request.ts'
import { httpWatch } from '../../checks/probe/http/http-watch.ts'
import { AddressDenied, type AddressRules, addressPolicy } from '../../checks/probe/net/addresses.ts'
import { type CallContext, connectFirst, resolve } from '../../checks/probe/net/connect.ts'
import { UntrustedCertificate } from '../../checks/probe/net/tls.ts'
import { type ChannelAnswer, type ChannelRequest, NoAnswer, type Transport } from './channel.ts'

export type ChannelTransportOptions = {
  /** The address policy of checks. */
  readonly addresses: AddressRules
  readonly now: () => number
  readonly timeoutMs?: number
  /** Called at the start of each phase of a request, last when its connection is ready. After it returned false, nothing is sent. */
  readonly maySend?: () => boolean
  /** Resolves host names; by default, the system does. */
  readonly lookup?: CallContext['lookup']
}

const defaultTimeoutMs = 15_000
const maxAnswerBytes = 64 * 1024

export function openTransport(options: ChannelTransportOptions): Transport {
  const { addresses, now, timeoutMs = defaultTimeoutMs, maySend = () => true, lookup } = options
  const admit = addressPolicy(addresses)
  const contextOf = (signal: AbortSignal): CallContext => ({ admit, signal, ...(lookup && { lookup }) })
  return {
    now,
    timeoutMs,
    request(request, signal) {
      const fence = new AbortController()
      return send(request, {
        context: contextOf(AbortSignal.any([signal, fence.signal])),
        timeoutMs,
        onPhase: () => void (maySend() || fence.abort(notAllowed())),
      })
    },
    async connect({ hostname, port }, signal) {
      const context = contextOf(signal)
      try {
        const socket = await connectFirst(await resolve({ hostname }, context), port, context)
        if (maySend()) return socket
        socket.destroy()
        throw notAllowed()
      } catch (error) {
        throw noAnswer(error, 'connect', signal, timeoutMs)
      }
    },
  }
}

type Sending = { readonly context: CallContext; readonly timeoutMs: number; readonly onPhase: () => void }

const notAllowed = () => new Error('this process may no longer send')

/** No keep-alive: messages are rare, and a stale connection would cost an attempt. */
async function send(
  { url: text, method, headers, body }: ChannelRequest,
  { context, timeoutMs, onPhase }: Sending,
): Promise<ChannelAnswer> {
  const own = httpWatch()
  const watch: typeof own = {
    ...own,
    start(...phase) {
      onPhase()
      own.start(...phase)
    },
  }
  const connections = openConnections({ watch, context, ipFamily: undefined, skipTls: false, onCertificate: () => {} })
  const { url, headers: authorization } = urlParts(text)
  const request = { url, method, headers: { ...authorization, ...headers }, body, skipTls: false, ipFamily: undefined }
  try {
    const answer = await exchange(request, { watch, connections, signal: context.signal, maxBodyBytes: maxAnswerBytes })
    return { status: answer.status, headers: flat(answer.headers), body: Buffer.from(answer.body).toString('utf8') }
  } catch (error) {
    throw noAnswer(error, watch.at(), context.signal, timeoutMs)
  } finally {
    connections.close()
  }
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

/** The phases before the request is written. */
const unsentPhases: readonly string[] = ['start', 'DNS lookup', 'connect', 'TLS handshake']

function noAnswer(error: unknown, at: string, signal: AbortSignal, timeoutMs: number): NoAnswer {
  if (error instanceof AddressDenied) return new NoAnswer(`denied by the address policy of checks: ${error.message}`, true)
  return new NoAnswer(failureText(error, at, signal, timeoutMs), error instanceof UntrustedCertificate, unsentPhases.includes(at))
}

/** `failureMessage` throws if this machine lacks a resource; a delivery is retried even then. */
function failureText(error: unknown, at: string, signal: AbortSignal, timeoutMs: number): string {
  try {
    return failureMessage(error, at, { signal, timeoutMs, secrets: [] })
  } catch (exhaustion) {
    return exhaustion instanceof Error ? exhaustion.message : String(exhaustion)
  }
}
