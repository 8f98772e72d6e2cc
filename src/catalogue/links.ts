import { createHmac, timingSafeEqual } from 'node:crypto'
import { percentDecoded } from '../text/percent-decoded.ts'

/** API paths that links may have, in characters that clients send without encoding. */
export const linkPath = /^\/v[12]\/[A-Za-z0-9._~!&'()*+,;=:@%/?[\]-]{1,8000}$/

/** Whether a path is a stream of results. Links cannot open one, because it does not end. */
export function isStreamPath(path: string): boolean {
  return /^\/v1\/check-results\/stream\/?$/.test(percentDecoded(path.replace(/\?.*$/, '')))
}

/** A request that anyone with its token may send, until it expires. */
export type Link = {
  readonly id: string
  readonly name: string
  readonly account: string
  /** The path and query string of the request. */
  readonly path: string
  /** The JSON body of a POST; absent for a GET. */
  readonly body?: string
  readonly createdAt: number
  readonly expiresAt: number
  /** HMAC-SHA256 of the id, account, path, body and expiry, keyed with the token. */
  readonly signature: string
}

type Signed = Pick<Link, 'id' | 'account' | 'path' | 'body' | 'expiresAt'>

/** Only a holder of the token can sign. The signature covers the account, path, body and expiry. The file does not contain the token. */
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
