import { createHmac, timingSafeEqual } from 'node:crypto'
import { percentDecoded } from '../text/percent-decoded.ts'

/** The paths that links may have: of the API, in characters that clients send as they are. */
export const linkPath = /^\/v[12]\/[A-Za-z0-9._~!&'()*+,;=:@%/?[\]-]{1,8000}$/

/** Whether a path is that of a stream, which a link cannot open: it has no end. */
export function isStreamPath(path: string): boolean {
  return /^\/v1\/check-results\/stream\/?$/.test(percentDecoded(path.replace(/\?.*$/, '')))
}

/** A question that anyone with its token may ask, until it expires. */
export type Link = {
  readonly id: string
  readonly name: string
  readonly account: string
  /** The path and query string that it answers. */
  readonly path: string
  /** The JSON text that is posted there; without it, the question is a GET. */
  readonly body?: string
  readonly createdAt: number
  readonly expiresAt: number
  /** HMAC-SHA256 of what the link is for, keyed with its token. */
  readonly signature: string
}

type Signed = Pick<Link, 'id' | 'account' | 'path' | 'body' | 'expiresAt'>

/** Only a holder of the token can sign, and a signature is valid for this account, path, body and expiry alone. The file holds no token. */
export function signLink(token: string, { id, account, path, body, expiresAt }: Signed): string {
  const message = JSON.stringify([id, account, path, expiresAt, ...(body === undefined ? [] : [body])])
  return `hmac-sha256:${createHmac('sha256', token).update(message).digest('hex')}`
}

export function isSigned(token: string, link: Link): boolean {
  return timingSafeEqual(Buffer.from(signLink(token, link)), Buffer.from(link.signature))
}

/** The id in a token such as `tdl_Ab3dE9xQ_…`. */
export function linkIdOf(token: string): string {
  return /^tdl_([0-9A-Za-z]{8})_/.exec(token)?.[1] ?? ''
}
