import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account, Check } from '../../catalogue/catalogue.ts'
import type { ClientFields } from '../../catalogue/config-file/config-schema.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import { channelOf } from '../../catalogue/managed/channel-layer.ts'
import { isSentWhole, wirePath } from '../../catalogue/wire/index.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { CheckType } from '../../checks/define.ts'
import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { isManaged } from '../../managed/plan-checks.ts'
import { alertChannelKind } from '../../managed/resources/alert-channel.ts'
import { sealCheck } from '../../managed/seal.ts'
import type { Writing, Written } from '../../managed/writing.ts'
import { Type } from '../../schema/typebox.ts'
import { versionTag } from '../../text/version-tag.ts'
import { callerOf } from '../hooks/auth.ts'
import { array, fieldOf, invalid, objectSchema, optional, readObject, string } from '../input/fields.ts'
import { findCheck, idSchema, readId, requestedId } from '../input/find-check.ts'
import { booleanParam, list, readParams } from '../input/params.ts'
import {
  definitionErrors,
  inBody,
  maxCheckBytes,
  otherType,
  preconditionOf,
  readDefinition,
  typeOfBody,
  writeErrors,
  writeParams,
  writingOf,
} from '../input/write-check.ts'
import { dryRunAnswer, faultyAnswer } from '../output/dry-run.ts'
import { managedEntry } from '../output/managed-entry.ts'
import { bulkChangeSchema, bulkDeleteSchema, dryRunSchema, managedCheckSchema, writtenCheckSchema } from '../reference/managed-schemas.ts'
import { type Doc, managedChecks, type Routes, unusedBodyErrors } from '../route.ts'

const createParams = {
  ...writeParams,
  adopt: booleanParam({
    description: 'Adopt the check with this id from the config file; rejected if the definition differs.',
    otherwise: false,
  }),
}
const patchFields = { activated: optional(fieldOf(Type.Boolean())), muted: optional(fieldOf(Type.Boolean())) }
const bulkParams = {
  ...writeParams,
  tag: list({ description: 'Checks with any of these tags; without it, `ids` of the body.' }),
}
const smallBody = { bodyLimit: 1024 }
/** One request may name as many checks as the web app lists on a page. */
const idsField = array(string('the id of a check', 128), { min: 1, max: 100 })
const tagsField = array(string('a tag'), { min: 1, max: 20 })
const bulkFields = { ...patchFields, ids: optional(idsField), addTags: optional(tagsField), removeTags: optional(tagsField) }
const bulkBody = { bodyLimit: 32_768 }

export const managedCheckRoutes: Routes = (app, deps) => {
  for (const checkType of deps.checkTypes) addTypeRoutes(checkType)

  app.post('/v1/checks', { bodyLimit: maxCheckBytes, config: { access: 'write', doc: postAnyDoc } }, (request, reply) =>
    create(request, reply, (body) => typeOfBody(deps.checkTypes, body)),
  )

  app.put('/v1/checks/:id', { bodyLimit: maxCheckBytes, config: { access: 'write', doc: putDoc } }, (request, reply) =>
    replace(request, reply, null),
  )

  app.patch('/v1/checks/:id', { ...smallBody, config: { access: 'write', doc: patchDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const id = requestedId(request)
    const change = changeOf({ ...readObject(patchFields, request.body), addTags: null, removeTags: null })
    const order = { id, precondition: preconditionOf(request), action: 'update', change, isPause: isPause(request.body) } as const
    return answer(request, reply, dryRun, (writing) => managedChecks(deps).change(writing, order))
  })

  app.patch('/v1/checks', { ...bulkBody, config: { access: 'write', doc: bulkDoc } }, async (request) => {
    const { dryRun, tag } = readParams(bulkParams, request.query)
    const { ids, addTags, removeTags, ...patch } = readObject(bulkFields, request.body)
    if (tag.length === 0 && ids === null)
      throw apiError('MISSING_PARAMETER', { name: 'tag', expected: 'the tags of the checks, or ids in the body' })
    if (tag.length > 0 && ids !== null) throw invalid('ids', 'left out where tag is given')
    const change = changeOf({ ...patch, addTags, removeTags })
    const isPause = patch.activated === false && patch.muted === null && addTags === null && removeTags === null
    const chosen = ids === null ? { tags: tag } : { ids: ids.map(readId) }
    return managedChecks(deps).changeSelected(writingOf(request, dryRun), chosen, { change, isPause })
  })

  app.post('/v1/checks/delete', { ...bulkBody, config: { access: 'write', doc: deleteManyDoc } }, async (request) => {
    const { dryRun } = readParams(writeParams, request.query)
    const { ids } = readObject({ ids: idsField }, request.body)
    return managedChecks(deps).removeMany(writingOf(request, dryRun), ids.map(readId))
  })

  app.delete('/v1/checks/:id', { config: { access: 'write', doc: deleteDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const removed = await managedChecks(deps).remove(writingOf(request, dryRun), requestedId(request), preconditionOf(request))
    return dryRun ? dryRunAnswer(removed) : reply.code(204).send()
  })

  function addTypeRoutes(checkType: CheckType): void {
    const path = `/v1/checks/${wirePath(checkType)}`
    app.post(path, { bodyLimit: maxCheckBytes, config: { access: 'write', doc: postDoc(checkType) } }, (request, reply) =>
      create(request, reply, () => checkType),
    )
    app.put(`${path}/:id`, { bodyLimit: maxCheckBytes, config: { access: 'write', doc: putOfTypeDoc(checkType) } }, (request, reply) =>
      replace(request, reply, checkType),
    )
  }

  const sealed = (definition: WrittenDefinition, account: Account, previous?: WrittenDefinition) =>
    sealCheck(definition, { account, vault: managedChecks(deps).sources.vault, previous })

  async function create(request: FastifyRequest, reply: FastifyReply, typeOf: (body: unknown) => CheckType) {
    const { dryRun, adopt, autoAssignAlerts } = readParams(createParams, request.query)
    const { body } = request
    if (!dryRun) reply.code(201)
    return answer(request, reply, dryRun, async (writing) => {
      const checkType = typeOf(body)
      const read = readDefinition(checkType, body)
      const isGiven = isMapping(body) && body.alertChannelSubscriptions !== undefined
      const definition = adopt || isGiven || !autoAssignAlerts ? read : withAutomatic(read, automaticChannels(writing.account))
      return inBody(
        () => checkType,
        body,
        async () => managedChecks(deps).create(writing, sealed(definition, writing.account), adopt),
      )
    })
  }

  /** Managed channels that subscribe new checks automatically. */
  function automaticChannels(account: Account): readonly number[] {
    const channels = managedChecks(deps).resources.list(account, alertChannelKind)
    return channels.filter((channel) => channelOf(channel).autoSubscribe).map(({ id }) => Number(id))
  }

  /** Undefined unless the check is managed and runs. */
  function managedCheck({ account }: Writing, id: string): Check | undefined {
    const found = deps.catalogue.check(account.id, id)
    return found && isManaged(found) ? found : undefined
  }

  /** The type of a check cannot change. */
  async function replace(request: FastifyRequest, reply: FastifyReply, expected: CheckType | null) {
    const { dryRun } = readParams(writeParams, request.query)
    const id = requestedId(request)
    const precondition = preconditionOf(request)
    let checkType: CheckType | undefined
    const change = ({ type }: WrittenDefinition, current: CheckDefinition | null) => {
      checkType = deps.checkTypes.find((one) => one.type === type)
      if (!checkType || (expected && expected !== checkType)) throw otherType(type)
      const { resources } = managedChecks(deps).sources
      return sealed(readDefinition(checkType, request.body, current ?? undefined, resources), callerOf(request).account, current?.written)
    }
    const keepsHidden = (current: CheckDefinition) =>
      !isSentWhole(current.checkType, request.body, current, managedChecks(deps).sources.resources)
    return answer(request, reply, dryRun, (writing) =>
      inBody(
        () => checkType,
        request.body,
        () => managedChecks(deps).change(writing, { id, precondition, action: 'update', change, keepsHidden }),
      ),
    )
  }

  /** Answers with the written check; a dry run with the faults or the changes. */
  async function answer(request: FastifyRequest, reply: FastifyReply, isDryRun: boolean, write: (writing: Writing) => Promise<Written>) {
    const writing = writingOf(request, isDryRun)
    if (isDryRun) return write(writing).then(dryRunAnswer, faultyAnswer)
    const { id, version } = await write(writing)
    const faults = managedCheck(writing, id) ? null : managedChecks(deps).whyFaulty(writing.account, id)
    if (faults === null) return managedEntry(findCheck(deps.catalogue, request, id), { request, reply, deps })
    reply.header('etag', versionTag(version))
    return { id, activated: false, faults }
  }
}

function withAutomatic(definition: WrittenDefinition, channels: readonly number[]): WrittenDefinition {
  const clientFields = (definition.clientFields ?? {}) as ClientFields
  if (channels.length === 0 || clientFields.alertChannelSubscriptions) return definition
  const subscriptions = channels.slice(0, 100).map((alertChannelId) => ({ alertChannelId, activated: true }))
  return { ...definition, clientFields: { ...clientFields, alertChannelSubscriptions: subscriptions } }
}

type Patch = {
  readonly activated: boolean | null
  readonly muted: boolean | null
  readonly addTags: readonly string[] | null
  readonly removeTags: readonly string[] | null
}

function changeOf({ activated, muted, addTags, removeTags }: Patch): (definition: WrittenDefinition) => WrittenDefinition {
  if (activated === null && muted === null && addTags === null && removeTags === null)
    throw invalid('The body', 'an object with activated or muted')
  return (definition) => ({
    ...definition,
    ...(activated !== null && { activated }),
    ...(muted !== null && { muted }),
    ...((addTags || removeTags) && { tags: changedTags(definition.tags, addTags ?? [], removeTags ?? []) }),
  })
}

function changedTags(tags: unknown, added: readonly string[], removed: readonly string[]): readonly unknown[] {
  const before: readonly unknown[] = Array.isArray(tags) ? tags : []
  return [...new Set([...before, ...added])].filter((tag) => !removed.includes(String(tag)))
}

function isPause(body: unknown): boolean {
  const { activated, muted } = readObject(patchFields, body)
  return activated === false && muted === null
}

const group = 'Managed checks'
const path = { id: idSchema }
const dryRunText = 'With `dryRun=true` nothing changes, and the answer is `{valid, faults, action, changes}`.'
const etag = { ETag: 'The version of the check, for If-Match.' }
const entry = {
  description: 'The check with its whole definition; `effective` includes settings from its group.',
  schema: managedCheckSchema,
  headers: etag,
}
const written = { ...entry, schema: writtenCheckSchema }
const dryRun = { description: 'With `dryRun=true`: what would change.', schema: dryRunSchema }

const bodyOf = (what: string) => ({
  description: `${what}, or \`{"definition": …}\` with an entry of \`checks:\` of the config file.`,
  mediaType: 'application/json',
  schema: { type: 'object' },
})

const postAnyDoc: Doc = {
  group,
  summary: 'Add a check of the type in the body',
  description: `Active at once. An invalid definition changes nothing: \`faults\` of the error names each by a JSON pointer. ${dryRunText}`,
  query: createParams,
  body: bodyOf('The check, with its `checkType`'),
  answer: { status: 201, ...entry },
  dryRun,
  errors: ['DEFINED_IN_FILE', 'CHECK_EXISTS', 'TOO_MANY_CHECKS', 'DEFINITIONS_TOO_LONG', 'MANAGED_OFF', ...definitionErrors],
}
const postDoc = (checkType: CheckType): Doc => ({
  ...postAnyDoc,
  summary: `Add a check of type ${checkType.type}`,
  body: bodyOf('The check'),
})
const putOfTypeDoc = (checkType: CheckType): Doc => ({ ...putDoc, summary: `Replace a check of type ${checkType.type}` })
const putDoc: Doc = {
  group,
  summary: 'Replace the definition of a check',
  description: `With \`If-Match\`, only if the check still has that ETag. Secrets shown as variables are kept if sent back unchanged, and if the check still calls the same address. ${dryRunText}`,
  path,
  query: writeParams,
  body: bodyOf('The whole check'),
  answer: written,
  errors: [...writeErrors, 'DEFINITIONS_TOO_LONG', ...definitionErrors],
}
const patchBody = {
  description: 'The changes.',
  mediaType: 'application/json',
  schema: objectSchema(patchFields),
  example: { muted: true },
}
const patchErrors = [...definitionErrors, 'UNKNOWN_PROPERTY', 'INVALID_PARAMETER'] as const
const patchDoc: Doc = {
  group,
  summary: 'Pause or mute a check',
  description: 'A check with an invalid definition can be paused too; the response then has its faults.',
  path,
  query: writeParams,
  body: patchBody,
  answer: written,
  errors: [...writeErrors, 'DEFINITIONS_TOO_LONG', ...patchErrors],
}
const bulkDoc: Doc = {
  group,
  summary: 'Pause, mute or tag many checks',
  description:
    'All with a tag, or those with the ids in the body. Skips and counts checks in the config file, also those that are managed too. Skips checks that would become invalid: `failed` lists the first 1,000. One request per account at a time.',
  query: bulkParams,
  body: { ...patchBody, schema: objectSchema(bulkFields), example: { ids: ['shop', 'checkout'], muted: true } },
  answer: {
    description: 'Number of changed checks.',
    schema: bulkChangeSchema,
    example: { changed: 12, unchanged: 1, definedInFile: 0, failed: [] },
  },
  errors: ['MANAGED_OFF', 'BULK_CHANGE_UNDER_WAY', 'INVALID_ID', ...patchErrors],
}
const deleteManyDoc: Doc = {
  group,
  summary: 'Delete many checks',
  description:
    'Deletes all that can be deleted, at once; a check with dependents only together with them. Each can be restored for an hour, in the reverse order of `deleted`.',
  query: writeParams,
  body: {
    description: 'Which checks.',
    mediaType: 'application/json',
    schema: { ...objectSchema({ ids: idsField }), required: ['ids'] },
    example: { ids: ['shop', 'checkout'] },
  },
  answer: {
    description: 'The deleted checks.',
    schema: bulkDeleteSchema,
    example: { deleted: ['checkout', 'shop'], definedInFile: 0, failed: [] },
  },
  errors: ['MANAGED_OFF', 'BULK_CHANGE_UNDER_WAY', 'INVALID_ID', 'CHECK_IN_USE', ...patchErrors],
}
const deleteDoc: Doc = {
  group,
  summary: 'Delete a check',
  description: 'Its results follow the usual retention. It can be restored for an hour.',
  path,
  query: writeParams,
  answer: { status: 204, description: 'It is deleted.' },
  dryRun,
  errors: [...writeErrors, 'CHECK_IN_USE', ...unusedBodyErrors],
}
