import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { ProbeFault } from '../failures.ts'
import { literalAddress } from './connect.ts'

type Secured = {
  readonly socket: TLSSocket
  /** Whole days until the certificate ends, less than zero where it has ended. */
  readonly daysRemaining: number | null
  /** Why the certificate is not to be trusted, as a sentence; null where it is. */
  readonly distrust: string | null
}

/** Speaks TLS on a connected socket. Whether the certificate is good is told, not enforced, so that the end of a bad one is known too. */
export async function secure(plain: Socket, hostname: string, signal: AbortSignal): Promise<Secured> {
  const address = literalAddress(hostname)
  const socket = connect({
    socket: plain,
    host: address ?? hostname,
    ...(address === null && { servername: hostname }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  })
  socket.on('error', () => {})
  await once(socket, 'secureConnect', { signal })
  return {
    socket,
    daysRemaining: daysUntil(socket.getPeerCertificate().valid_to, Date.now()),
    distrust: socket.authorized ? null : distrustWords(String(socket.authorizationError), hostname),
  }
}

function daysUntil(validTo: string | undefined, now: number): number | null {
  const end = Date.parse(validTo ?? '')
  return Number.isNaN(end) ? null : Math.floor((end - now) / 86_400_000)
}

/** Throws where the certificate is not to be trusted. */
export function demandTrust({ socket, distrust }: Secured): void {
  if (distrust === null) return
  socket.destroy()
  throw new ProbeFault(distrust)
}

const words: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'cannot be verified: its chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that is not known here',
}

function distrustWords(code: string, hostname: string): string {
  if (code.includes('ALTNAME')) return `the TLS certificate is not for ${hostname}`
  return `the TLS certificate ${words[code] ?? `is not trusted (${code})`}`
}
