import dns from 'node:dns/promises'
import { connect as connectTo, isIP, type Socket } from 'node:net'
import { asExhaustion } from '../exhaustion.ts'
import { abortable, ProbeFault } from '../failures.ts'
import type { RunContext } from '../run.ts'
import type { IpFamily } from '../settings.ts'
import { AddressDenied } from './addresses.ts'

/** The part of a run that a connection needs. */
export type CallContext = Pick<RunContext, 'admit' | 'lookup' | 'signal'>
type Host = { readonly hostname: string; readonly ipFamily?: IpFamily | undefined }

const namePattern = /^(?!-)[\p{L}\p{N}._-]{1,253}$/u

/** The IP address of a literal such as `127.0.0.1`, `::1` or `[::1]`; null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = /^\[(.*)\]$/.exec(hostname)?.[1] ?? hostname
  return isIP(bare) === 0 ? null : bare
}

/** The allowed addresses of a host, in the order to try them. */
export async function resolve(
  { hostname, ipFamily }: Host,
  { admit, lookup = systemLookup, signal }: CallContext,
): Promise<readonly string[]> {
  const family = ipFamily === undefined ? 0 : ipFamily === 'IPv4' ? 4 : 6
  const literal = literalAddress(hostname)
  if (literal !== null) {
    if (family !== 0 && isIP(literal) !== family) throw new ProbeFault(`${literal} is not an ${ipFamily} address`)
    admit(literal)
    return [literal]
  }
  if (!namePattern.test(hostname)) throw new ProbeFault(`${JSON.stringify(hostname)} is not a hostname`)
  const found = await abortable(lookup(hostname, family), signal).catch((error: unknown) => {
    const cause = asExhaustion(error, 'DNS lookup')
    throw cause === error ? (notFound(error, hostname, ipFamily) ?? error) : cause
  })
  return admitted(found, admit)
}

async function systemLookup(hostname: string, family: 0 | 4 | 6): Promise<readonly string[]> {
  const found = await dns.lookup(hostname, { all: true, family, verbatim: true })
  return found.map(({ address }) => address)
}

/** Happy Eyeballs: connects to the first address that accepts, and starts the next attempt in parallel after 250 ms. */
export function connectFirst(addresses: readonly string[], port: number, { admit, signal }: Omit<CallContext, 'lookup'>): Promise<Socket> {
  return new Promise<Socket>((settle, reject) => {
    const open = new Set<Socket>()
    const waiting = [...addresses]
    let timer: NodeJS.Timeout | undefined
    let firstError: unknown

    const finish = (winner: Socket | null, error?: unknown) => {
      clearTimeout(timer)
      waiting.length = 0
      signal.removeEventListener('abort', onAbort)
      for (const socket of open) if (socket !== winner) socket.destroy()
      open.clear()
      if (winner) settle(winner)
      else reject(error)
    }
    const onAbort = () => finish(null, signal.reason)
    const attempt = () => {
      clearTimeout(timer)
      const host = waiting.shift()
      if (host === undefined) return
      const socket = connectTo({ host, port, noDelay: true })
      open.add(socket)
      socket.once('connect', () => finish(socket))
      socket.on('error', (error) => {
        firstError ??= error
        if (!open.delete(socket)) return
        if (waiting.length > 0) attempt()
        else if (open.size === 0) finish(null, firstError)
      })
      if (waiting.length > 0) timer = setTimeout(attempt, 250)
    }

    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    attempt()
  }).then((socket) => admittedSocket(socket, admit))
}

/** The policy applies to the connected address, not to what the name resolved to. */
function admittedSocket(socket: Socket, admit: RunContext['admit']): Socket {
  try {
    admit(socket.remoteAddress ?? 'unknown')
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function admitted(addresses: readonly string[], admit: RunContext['admit']): readonly string[] {
  const denials: AddressDenied[] = []
  const open = addresses.filter((address) => {
    try {
      admit(address)
      return true
    } catch (error) {
      if (!(error instanceof AddressDenied)) throw error
      denials.push(error)
      return false
    }
  })
  if (open.length === 0 && denials[0]) throw denials[0]
  return open
}

function notFound(error: unknown, hostname: string, ipFamily: IpFamily | undefined): ProbeFault | null {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'ENOTFOUND') return new ProbeFault(`no ${ipFamily ?? 'IP'} address found for ${hostname}`)
  return code === 'EAI_AGAIN' ? new ProbeFault(`the name server did not answer for ${hostname}`) : null
}
