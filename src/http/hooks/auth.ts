import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { memoize } from '../../cache/cache.ts'
import { agentLocationOf, agentScope, type Catalogue, type Key } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import type { Access, Caller, Deps } from '../route.ts'
import { linkTokenOf } from '../server/request-head.ts'
import { linkCaller } from './links.ts'

/** Authenticates by key or link. A route that declares no access needs one of them. Throws like `authenticate`. */
export function authenticateRequest(
  request: IncomingMessage,
  access: Access = 'key',
  deps: Pick<Deps, 'catalogue' | 'clock'>,
): Caller | null {
  if (access === 'open') return null
  const token = linkTokenOf(request)
  if (token === undefined) return authenticate(request.headers, access, deps.catalogue)
  const caller = linkCaller(token, request, deps)
  requireScope(caller.key, access)
  return caller
}

/** The authenticated caller; always set on routes that need a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw apiError('MISSING_KEY')
  return request.caller
}

/** Null if the access allows anonymous callers and this is one; throws 401 or 403. */
export function authenticate(headers: IncomingHttpHeaders, access: Access, catalogue: Catalogue): Caller | null {
  if (access === 'open') return null
  if (access === 'metrics') return authenticateScraper(headers, catalogue)
  if (access === 'optional' && isAnonymous(headers, catalogue)) return null
  const account = accountHeader(headers, catalogue.service().accountHeaders)
  const key = findKey(headers.authorization, catalogue)
  if (agentLocationOf(key) !== null) return agentCaller(key, account, { access, catalogue })
  if (access === 'agent') throw apiError('MISSING_SCOPE', { scope: agentScope('LOCATION') })
  if (account === undefined) throw unauthorized('MISSING_ACCOUNT')
  const owner = account === key.account ? catalogue.account(account) : undefined
  if (!owner) throw apiError('FORBIDDEN_ACCOUNT')
  requireScope(key, access)
  return { account: owner, key }
}

/** Whether a request names neither a key nor an account. */
export function isAnonymous(headers: IncomingHttpHeaders, catalogue: Catalogue): boolean {
  return headers.authorization === undefined && accountHeader(headers, catalogue.service().accountHeaders) === undefined
}

type AccessContext = { readonly access: Access; readonly catalogue: Catalogue }

/** Agents need not name an account: their key determines it. */
function agentCaller(key: Key, account: string | undefined, { access, catalogue }: AccessContext): Caller {
  const owner = account === undefined || account === key.account ? catalogue.account(key.account) : undefined
  if (!owner) throw apiError('FORBIDDEN_ACCOUNT')
  if (access !== 'agent' && access !== 'ingest') throw apiError('AGENT_KEY', { location: agentLocationOf(key) ?? '' })
  return { account: owner, key }
}

/** Scrapers send only a key, which determines the account. If no key has the scope `metrics`, the path behaves like an unknown one. */
function authenticateScraper(headers: IncomingHttpHeaders, catalogue: Catalogue): Caller {
  if (!catalogue.hasScope('metrics')) {
    authenticate(headers, 'key', catalogue)
    throw apiError('ROUTE_NOT_FOUND')
  }
  const key = findKey(basicAsBearer(headers.authorization), catalogue)
  const account = accountHeader(headers, catalogue.service().accountHeaders) ?? key.account
  const owner = account === key.account ? catalogue.account(account) : undefined
  if (!owner) throw apiError('FORBIDDEN_ACCOUNT')
  requireScope(key, 'metrics')
  return { account: owner, key }
}

/** The password of basic authentication as a bearer token; any user name is accepted. */
function basicAsBearer(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization ?? '')?.[1]
  if (encoded === undefined) return authorization
  const [, password = ''] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return `Bearer ${password}`
}

/** Hashes by the text of the key, since a client sends the same key with every request. */
const hashOf = memoize<string>(1000)

function findKey(authorization: string | undefined, catalogue: Catalogue): Key {
  const text = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1]
  if (text === undefined) throw unauthorized('MISSING_KEY')
  const key = catalogue.keyByHash(hashOf(text, () => sha256(text)))
  if (!key) throw unauthorized('UNKNOWN_KEY')
  return key
}

function accountHeader(headers: IncomingHttpHeaders, aliases: readonly string[]): string | undefined {
  for (const name of ['x-service-account', ...aliases]) {
    const value = headers[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function requireScope({ scopes }: Key, access: Access): void {
  if (access === 'key' || scopes.includes('admin')) return
  const scope = access === 'ingest' || access === 'metrics' || access === 'operate' || access === 'write' ? access : 'read'
  if (!scopes.includes(scope)) throw apiError('MISSING_SCOPE', { scope })
}

function unauthorized(code: 'MISSING_KEY' | 'UNKNOWN_KEY' | 'MISSING_ACCOUNT') {
  return apiError(code, {}, { 'www-authenticate': 'Bearer' })
}
