import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { dayMs } from '../../../time.ts'
import { ProbeFault } from '../failures.ts'
import { literalAddress } from './connect.ts'

type TlsConnection = {
  readonly socket: TLSSocket
  /** Whole days until the certificate expires; negative if it has expired. */
  readonly daysRemaining: number | null
  /** Why the certificate is not trusted, as a sentence; null if it is trusted. */
  readonly untrustedReason: string | null
}

/** TLS on a connected socket. An untrusted certificate is reported, not rejected, so that its expiry is known, too. */
export async function startTls(plain: Socket, hostname: string, signal: AbortSignal): Promise<TlsConnection> {
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
    // getPeerX509Certificate() of Node 20 never frees the chain that the server sent.
    daysRemaining: daysUntil(socket.getPeerCertificate().valid_to, Date.now()),
    untrustedReason: socket.authorized ? null : untrustedMessage(String(socket.authorizationError), hostname),
  }
}

function daysUntil(validTo: string | undefined, now: number): number | null {
  const end = Date.parse(validTo ?? '')
  return Number.isNaN(end) ? null : Math.floor((end - now) / dayMs)
}

export function assertTrusted({ socket, untrustedReason }: TlsConnection): void {
  if (untrustedReason === null) return
  socket.destroy()
  throw new UntrustedCertificate(untrustedReason)
}

export class UntrustedCertificate extends ProbeFault {}

const reasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'has been revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'was issued by an untrusted authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'cannot be verified: its chain is incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'was issued by an unknown authority',
}

function untrustedMessage(code: string, hostname: string): string {
  if (code.includes('ALTNAME')) return `the TLS certificate is not for ${hostname}`
  return `the TLS certificate ${reasons[code] ?? `is not trusted (${code})`}`
}
