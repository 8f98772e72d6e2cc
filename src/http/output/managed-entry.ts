import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Check } from '../../catalogue/catalogue.ts'
import { toWire } from '../../catalogue/wire/index.ts'
import { versionTag } from '../../text/version-tag.ts'
import { callerOf } from '../hooks/auth.ts'
import type { Deps } from '../route.ts'
import { describeCheck } from './check-entry.ts'

type ReplyContext = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly deps: Pick<Deps, 'catalogue' | 'basePath'>
}

/**
 * A managed check with its definition, its effective settings including inherited ones, and the ETag of its version. Only callers that may
 * write it get its ping URL, which is a secret.
 */
export function managedEntry(check: Check, { request, reply, deps }: ReplyContext) {
  reply.header('etag', versionTag(check.managedVersion ?? 0))
  const { scopes } = callerOf(request).key
  const mayWrite = scopes.includes('write') || scopes.includes('admin')
  const base = deps.catalogue.service().publicUrl ?? `${request.protocol}://${request.host}${deps.basePath}`
  const effective = describeCheck(check)
  return { ...effective, ...toWire(check, mayWrite ? { pingUrl: (token) => `${base}/ping/${token}` } : {}), effective }
}
