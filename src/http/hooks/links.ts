import type { IncomingMessage } from 'node:http'
import { isSigned, type Link, linkIdOf } from '../../catalogue/links.ts'
import { apiError } from '../../errors.ts'
import { isoText } from '../../time.ts'
import type { Caller, Deps } from '../route.ts'
import { linkedBodyOf } from '../server/request-head.ts'

/** The URL of a link is a secret, so neither caches nor referrers may keep it. */
export const linkHeaders = { 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' }

/** The caller behind a link: read-only access to its account, with its own rate limit. Throws 401, 403 or 405. */
export function linkCaller(token: string, request: IncomingMessage, { catalogue, clock }: Pick<Deps, 'catalogue' | 'clock'>): Caller {
  const link = catalogue.link(linkIdOf(token))
  const account = link && isSigned(token, link) ? catalogue.account(link.account) : undefined
  if (!link || !account) throw apiError('UNKNOWN_LINK', {}, { 'www-authenticate': 'Bearer' })
  rejectMisuse(link, request, clock.now())
  const { id, name } = link
  return { account, key: { id, name, hash: `link:${id}`, account: account.id, scopes: ['read'] } }
}

function rejectMisuse({ path, expiresAt }: Link, request: IncomingMessage, now: number): void {
  const { method = '', url } = request
  if (url !== path) throw apiError('LINK_ELSEWHERE')
  if (method !== 'GET' && linkedBodyOf(request) === undefined)
    throw apiError('METHOD_NOT_ALLOWED', { method, allowed: 'GET' }, { allow: 'GET' })
  if (now >= expiresAt) throw apiError('LINK_EXPIRED', { time: isoText(expiresAt) })
}
