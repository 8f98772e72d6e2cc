import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Check } from '../../catalogue/catalogue.ts'
import { toWire } from '../../catalogue/wire/index.ts'
import { callerOf } from '../hooks/auth.ts'
import type { Deps } from '../route.ts'
import { describeCheck } from './check-entry.ts'

type ReplyContext = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly deps: Pick<Deps, 'catalogue' | 'basePath'>
}

/** A managed check with its whole definition, how it runs with what it inherits, and the tag of its version. Only callers that may write it get the address of its pings, which is a secret. */
export function managedEntry(check: Check, { request, reply, deps }: ReplyContext) {
  reply.header('etag', versionTag(check.managedVersion ?? 0))
  const { scopes } = callerOf(request).key
  const mayWrite = scopes.includes('write') || scopes.includes('admin')
  const base = deps.catalogue.service().publicUrl ?? `${request.protocol}://${request.host}${deps.basePath}`
  const effective = describeCheck(check)
  return { ...effective, ...toWire(check, mayWrite ? { pingUrl: (token) => `${base}/ping/${token}` } : {}), effective }
}

export const versionTag = (version: number) => `"v${version}"`
