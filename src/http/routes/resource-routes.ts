import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../catalogue/catalogue.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { ApiError, apiError, type ErrorCode } from '../../errors.ts'
import type { ResourceKind } from '../../managed/resources/resource-kind.ts'
import type { PlannedWrite, Written } from '../../managed/writing.ts'
import { versionTag } from '../../text/version-tag.ts'
import { callerOf } from '../hooks/auth.ts'
import { readObject } from '../input/fields.ts'
import { readKnownParams, readParams } from '../input/params.ts'
import { restoreBody, restoreFields, versionParams } from '../input/versions.ts'
import { pageParams } from '../input/window-params.ts'
import { definitionErrors, maxCheckBytes, preconditionOf, writeParams, writingOf } from '../input/write-check.ts'
import { auditPage } from '../output/audit-entry.ts'
import { dryRunAnswer, faultyAnswer } from '../output/dry-run.ts'
import { pageWithRange, rangeHeaders } from '../output/page-headers.ts'
import { dryRunSchema, versionsAnswer } from '../reference/managed-schemas.ts'
import { type Deps, type Doc, managedChecks, type Schema, unusedBodyErrors } from '../route.ts'

/** How resources of a kind are read and written over the API, in the format of existing clients. */
export type ResourceShape = {
  /** Such as `/v1/check-groups`. */
  readonly path: string
  readonly kind: ResourceKind
  /** The section of the reference. */
  readonly group: string
  /** Plural noun, such as `check groups`. */
  readonly plural: string
  readonly schema: Schema
  readonly body: { readonly schema: Schema; readonly example?: unknown }
  /** The path parameter: a number or a name. */
  readonly id: { readonly name: string; readonly schema: Schema }
  /**
   * Parses a body, and names a new resource unless the server assigns its id. Throws with the faults. `current` is null for a new resource.
   */
  readonly read: (body: unknown, context: ResourceContext) => NewResource | Promise<NewResource>
  /** Validates an earlier definition before it is written again; throws with the faults. */
  readonly restore: (earlier: WrittenDefinition, context: RestoreContext) => WrittenDefinition | Promise<WrittenDefinition>
  readonly entry: (resource: ManagedResource, request: FastifyRequest) => unknown
  /** All entries of an account, if the list has more than the managed resources. */
  readonly entries?: (account: Account, request: FastifyRequest) => readonly unknown[]
  /** A resource that is not managed, such as one of the config file. */
  readonly otherEntry?: (account: Account, id: string) => unknown
  /** Throws if the resource may not be deleted. */
  readonly guard?: (resource: ManagedResource, account: Account) => void | Promise<void>
  /** Further writes, committed together with a deletion. */
  readonly together?: (resource: ManagedResource, account: Account) => readonly PlannedWrite[]
  /** Waits until the effects of a write are active. */
  readonly settled?: (account: Account) => Promise<void>
  readonly errors?: readonly ErrorCode[]
}

type ResourceContext = { readonly account: Account; readonly current: ManagedResource | null; readonly request: FastifyRequest }
/** `last` is the newest version, even of a deleted resource. */
type RestoreContext = { readonly account: Account; readonly last: ManagedResource; readonly isDeleted: boolean }
type NewResource = { readonly id?: string; readonly definition: WrittenDefinition }

/** Adds `POST`, `GET` of all and of one, `PUT` and `DELETE` of one, its versions, and `restore` of one. */
export function addResourceRoutes(app: FastifyInstance, deps: Deps, shape: ResourceShape): void {
  const { path, kind, read } = shape
  const one = `${path}/:${shape.id.name}`
  const docs = docsOf(shape)
  const notFound = () => apiError('RESOURCE_NOT_FOUND', { noun: kind.noun })
  /** Throws for a resource that only the config file can change. */
  const requireManaged = (account: Account, id: string) => {
    if (!managedChecks(deps).resources.find(account, kind, id) && shape.otherEntry?.(account, id) !== undefined)
      throw new ApiError('DEFINED_IN_FILE', `This ${kind.noun} is defined in the config file. Change it there.`, {})
  }

  app.post(path, { bodyLimit: maxCheckBytes, config: { access: 'write', doc: docs.post } }, async (request, reply) => {
    const { account } = callerOf(request)
    return answer(request, reply, 201, async (isDryRun) => {
      const order = await read(request.body, { account, current: null, request })
      return managedChecks(deps).resources.create(writingOf(request, isDryRun), kind, order)
    })
  })

  app.get(path, { config: { access: 'read', doc: docs.list } }, async (request, reply) => {
    const params = readKnownParams(pageParams, request.query)
    const { account } = callerOf(request)
    const paged = { ...params, request, reply, basePath: deps.basePath }
    const all = shape.entries?.(account, request)
    if (all) return pageWithRange(all, paged)
    return pageWithRange(deps.managed?.resources.list(account, kind) ?? [], paged).map((resource) => shape.entry(resource, request))
  })

  app.get(one, { config: { access: 'read', doc: docs.get } }, async (request, reply) => {
    readParams({}, request.query)
    const { account } = callerOf(request)
    const id = idIn(request)
    const found = deps.managed?.resources.find(account, kind, id)
    const entry = found ? tagged(found, request, reply) : shape.otherEntry?.(account, id)
    if (entry === undefined) throw notFound()
    return entry
  })

  app.put(one, { bodyLimit: maxCheckBytes, config: { access: 'write', doc: docs.put } }, async (request, reply) => {
    const { account } = callerOf(request)
    requireManaged(account, idIn(request))
    const change = async (current: ManagedResource) => (await read(request.body, { account, current, request })).definition
    return answer(request, reply, 200, (isDryRun) =>
      managedChecks(deps).resources.replace(writingOf(request, isDryRun), kind, {
        id: idIn(request),
        precondition: preconditionOf(request),
        change,
      }),
    )
  })

  app.delete(one, { config: { access: 'write', doc: docs.delete } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const { account } = callerOf(request)
    requireManaged(account, idIn(request))
    let planned: readonly PlannedWrite[] = []
    const guard = async (current: ManagedResource) => {
      await shape.guard?.(current, account)
      planned = shape.together?.(current, account) ?? []
    }
    const order = { id: idIn(request), precondition: preconditionOf(request), guard }
    const removed = await managedChecks(deps).resources.remove(writingOf(request, dryRun), kind, order, () => planned)
    if (dryRun) return dryRunAnswer(removed)
    await shape.settled?.(account)
    return reply.code(204).send()
  })

  app.get(`${one}/versions`, { config: { access: 'read', doc: docs.versions } }, async (request) => {
    const { limit, cursor } = readParams(versionParams, request.query)
    const { account } = callerOf(request)
    const id = idIn(request)
    const { managed } = deps
    if (!managed) throw notFound()
    if (!(await managed.resources.isKnown(account, kind, id)) && shape.otherEntry?.(account, id) === undefined) throw notFound()
    const query = { account: account.id, kind: kind.kind, id, before: cursor, limit }
    const { entries, pagination } = await auditPage({ catalogue: deps.catalogue, managed }, query)
    return { versions: entries, pagination }
  })

  app.post(`${one}/restore`, { bodyLimit: 1024, config: { access: 'write', doc: docs.restore } }, async (request, reply) => {
    const { version } = readObject(restoreFields, request.body ?? {})
    const { account } = callerOf(request)
    const id = idIn(request)
    requireManaged(account, id)
    const judge = (earlier: WrittenDefinition, last: ManagedResource, isDeleted: boolean) =>
      shape.restore(earlier, { account, last, isDeleted })
    return answer(request, reply, 200, (isDryRun) =>
      managedChecks(deps).resources.restore(writingOf(request, isDryRun), kind, {
        id,
        version,
        precondition: preconditionOf(request),
        judge,
      }),
    )
  })

  function idIn({ params }: FastifyRequest): string {
    return (params as Readonly<Record<string, string>>)[shape.id.name] ?? ''
  }

  function tagged(resource: ManagedResource, request: FastifyRequest, reply: FastifyReply): unknown {
    reply.header('etag', versionTag(resource.version))
    return shape.entry(resource, request)
  }

  /** Answers with the written resource; a dry run with the faults or the changes. */
  async function answer(request: FastifyRequest, reply: FastifyReply, status: 200 | 201, write: (isDryRun: boolean) => Promise<Written>) {
    const { dryRun } = readParams(writeParams, request.query)
    if (dryRun) return write(true).then(dryRunAnswer, faultyAnswer)
    const { account } = callerOf(request)
    const { id } = await write(false)
    await shape.settled?.(account)
    const found = managedChecks(deps).resources.find(account, kind, id)
    if (!found) throw notFound()
    reply.code(status)
    return tagged(found, request, reply)
  }
}

/** The parameter of resources whose ids the server assigns. */
export const numberId = { name: 'id', schema: { type: 'string', pattern: '^[1-9][0-9]{0,15}$', description: 'The id of it, a number.' } }

function docsOf({ kind, group, plural, schema, body, id, errors = [] }: ResourceShape) {
  const { noun } = kind
  const path = { [id.name]: id.schema }
  const headers = { ETag: `The version of the ${noun}, for If-Match.` }
  const entry = { description: `The ${noun}.`, schema, headers }
  const dryRun = { description: 'With `dryRun=true`: what would change.', schema: dryRunSchema }
  const content = { description: `The ${noun}.`, mediaType: 'application/json', ...body }
  const dryRunText = 'With `dryRun=true` nothing changes, and the answer is `{valid, faults, action, changes}`.'
  const written = ['MANAGED_OFF', 'TOO_MANY_RESOURCES', 'RESOURCES_TOO_LONG', ...definitionErrors, ...errors] as const
  const post: Doc = {
    group,
    summary: `Add a ${noun}`,
    description: `Active at once. ${dryRunText}`,
    query: writeParams,
    body: content,
    answer: { status: 201, ...entry },
    dryRun,
    errors: ['RESOURCE_EXISTS', ...written],
  }
  const list: Doc = {
    group,
    summary: `The ${plural} of the account`,
    description: 'In order of creation. Ignores parameters that are not listed here.',
    query: pageParams,
    answer: {
      description: `A page of ${plural}, without secrets; empty past the end.`,
      schema: { type: 'array', items: schema },
      headers: rangeHeaders,
    },
  }
  const get: Doc = { group, summary: `One ${noun}`, path, query: {}, answer: entry, errors: ['RESOURCE_NOT_FOUND'] }
  const put: Doc = {
    group,
    summary: `Replace a ${noun}`,
    description: `With \`If-Match\`, only if it still has that ETag. ${dryRunText}`,
    path,
    query: writeParams,
    body: content,
    answer: { ...entry, schema: { anyOf: [schema, dryRunSchema] } },
    errors: ['RESOURCE_NOT_FOUND', 'VERSION_CONFLICT', ...(kind.uniqueName ? (['RESOURCE_EXISTS'] as const) : []), ...written],
  }
  const remove: Doc = {
    group,
    summary: `Delete a ${noun}`,
    path,
    query: writeParams,
    answer: { status: 204, description: 'It is deleted.' },
    dryRun,
    errors: ['RESOURCE_NOT_FOUND', 'VERSION_CONFLICT', 'MANAGED_OFF', ...errors, ...unusedBodyErrors],
  }
  const versions: Doc = {
    group,
    summary: `The versions of a ${noun}`,
    description: 'Newest first, with author and changes, without secrets; also for deleted ones. Those in the config file have none.',
    path,
    query: versionParams,
    answer: versionsAnswer,
    errors: ['RESOURCE_NOT_FOUND', 'INVALID_CURSOR'],
  }
  const restore: Doc = {
    group,
    summary: `Restore an earlier version of a ${noun}`,
    description: `Writes it again as a new version. A deleted one can be restored for an hour. ${dryRunText}`,
    path,
    query: writeParams,
    body: restoreBody,
    answer: { ...entry, schema: { anyOf: [schema, dryRunSchema] } },
    errors: [...(put.errors ?? []), 'VERSION_NOT_FOUND', 'UNKNOWN_PROPERTY', 'INVALID_PARAMETER'],
  }
  return { post, list, get, put, delete: remove, versions, restore }
}
