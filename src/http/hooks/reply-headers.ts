import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { ServiceSettings } from '../../catalogue/catalogue.ts'

export type Headers = Readonly<Record<string, string | number>>

/** Security headers of every answer; a route may override them. */
export const safeHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function baseHeaders(service: ServiceSettings, origin: string | undefined): Headers {
  return service.corsOrigins.length === 0 ? safeHeaders : { ...safeHeaders, ...corsHeaders(service, origin) }
}

const methods = 'GET, HEAD, POST'
const requestHeaders = ['Authorization', 'X-Service-Account', 'Content-Type', 'If-None-Match']
const exposed = 'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, ETag, Link, Content-Range, X-Next-Cursor'
const preflightSeconds = 600

/** Lets pages of the origins in the config file call the API with a key. Cookies are never sent, since credentials are not allowed. */
export function corsHeaders(service: ServiceSettings, origin: string | undefined): Readonly<Record<string, string>> {
  if (service.corsOrigins.length === 0) return {}
  const allowed = allowedOrigin(service, origin)
  return {
    ...(allowed !== '*' && { vary: 'Origin' }),
    ...(allowed !== null && { 'access-control-allow-origin': allowed, 'access-control-expose-headers': exposed }),
  }
}

/** Answers the preflight of an allowed origin; false for any other request. Runs before authentication, since preflights carry no key. */
export function answerPreflight(service: ServiceSettings, { method, headers }: IncomingMessage, reply: FastifyReply): boolean {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  if (allowedOrigin(service, headers.origin) === null) return false
  reply.code(204).headers(preflightHeaders(service)).send()
  return true
}

/** The value of `Access-Control-Allow-Origin`; null if pages of this origin may not read the answer. */
function allowedOrigin({ corsOrigins }: ServiceSettings, origin: string | undefined): string | null {
  if (corsOrigins.includes('*')) return '*'
  return origin !== undefined && corsOrigins.includes(origin) ? origin : null
}

function preflightHeaders({ accountHeaders }: ServiceSettings): Readonly<Record<string, string | number>> {
  return {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': [...requestHeaders, ...accountHeaders].join(', '),
    'access-control-max-age': preflightSeconds,
  }
}

/** Adds names of request headers, such as `Accept, Origin`, to `Vary`. */
export function addVary(reply: FastifyReply, names: string): void {
  reply.header('vary', joinedVary(reply.getHeader('vary'), names))
}

/** Without duplicates. */
export function joinedVary(named: string | number | readonly string[] | undefined, names: string): string {
  return named === undefined ? names : [...new Set(`${named}, ${names}`.split(', '))].join(', ')
}
