import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Check } from '../../catalogue/catalogue.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import { wirePath } from '../../catalogue/wire/index.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { CheckType } from '../../checks/define.ts'
import { isManaged, type Writing, type Written } from '../../managed/managed-checks.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { boolean, invalid, objectSchema, optional, readObject } from '../input/json-body.ts'
import { booleanParam, list, readParams } from '../input/params.ts'
import {
  definitionErrors,
  inBody,
  maxCheckBytes,
  otherType,
  preconditionOf,
  readDefinition,
  writeErrors,
  writeParams,
  writingOf,
} from '../input/write-check.ts'
import { dryRunAnswer, faultyAnswer } from '../output/dry-run.ts'
import { managedEntry, versionTag } from '../output/managed-entry.ts'
import { bulkChangeSchema, dryRunSchema, managedCheckSchema, writtenCheckSchema } from '../reference/schemas.ts'
import { type Doc, managedChecks, type Routes, unusedBodyErrors } from '../route.ts'

const createParams = {
  ...writeParams,
  adopt: booleanParam({
    description: 'Take over a check of this id that the config file defines; with another definition than that, it is refused.',
    otherwise: false,
  }),
}
const patchFields = { activated: optional(boolean(), null), muted: optional(boolean(), null) }
const bulkParams = {
  ...writeParams,
  tag: { ...list({ description: 'Checks with any of these tags.' }), required: true, expected: 'the tags of the checks' },
}
const smallBody = { bodyLimit: 1024 }

export const managedCheckRoutes: Routes = (app, deps) => {
  for (const checkType of deps.checkTypes) addTypeRoutes(checkType)

  app.put('/v1/checks/:id', { bodyLimit: maxCheckBytes, config: { access: 'write', doc: putDoc } }, (request, reply) =>
    replace(request, reply, null),
  )

  app.patch('/v1/checks/:id', { ...smallBody, config: { access: 'write', doc: patchDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const id = requestedId(request)
    const change = patchOf(request.body)
    const order = { id, precondition: preconditionOf(request), action: 'update', change, isPause: isPause(request.body) } as const
    return answer(request, reply, dryRun, (writing) => managedChecks(deps).change(writing, order))
  })

  app.patch('/v1/checks', { ...smallBody, config: { access: 'write', doc: bulkDoc } }, async (request) => {
    const { dryRun, tag } = readParams(bulkParams, request.query)
    const change = patchOf(request.body)
    return managedChecks(deps).changeTagged(writingOf(request, dryRun), tag, change)
  })

  app.delete('/v1/checks/:id', { config: { access: 'write', doc: deleteDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const removed = await managedChecks(deps).remove(writingOf(request, dryRun), requestedId(request), preconditionOf(request))
    return dryRun ? dryRunAnswer(removed) : reply.code(204).send()
  })

  function addTypeRoutes(checkType: CheckType): void {
    const path = `/v1/checks/${wirePath(checkType)}`
    app.post(path, { bodyLimit: maxCheckBytes, config: { access: 'write', doc: postDoc(checkType) } }, async (request, reply) => {
      const { dryRun, adopt } = readParams(createParams, request.query)
      if (!dryRun) reply.code(201)
      return answer(request, reply, dryRun, async (writing) => {
        const definition = readDefinition(checkType, request.body)
        return inBody(
          () => checkType,
          request.body,
          () => managedChecks(deps).create(writing, definition, adopt),
        )
      })
    })
    app.put(`${path}/:id`, { bodyLimit: maxCheckBytes, config: { access: 'write', doc: putOfTypeDoc(checkType) } }, (request, reply) =>
      replace(request, reply, checkType),
    )
  }

  /** A managed check that runs. */
  function managedCheck({ account }: Writing, id: string): Check | undefined {
    const found = deps.catalogue.check(account.id, id)
    return found && isManaged(found) ? found : undefined
  }

  /** Replaces a whole definition; its type stays. */
  async function replace(request: FastifyRequest, reply: FastifyReply, expected: CheckType | null) {
    const { dryRun } = readParams(writeParams, request.query)
    const id = requestedId(request)
    const precondition = preconditionOf(request)
    let checkType: CheckType | undefined
    const change = ({ type }: WrittenDefinition, current: CheckDefinition | null) => {
      checkType = deps.checkTypes.find((one) => one.type === type)
      if (!checkType || (expected && expected !== checkType)) throw otherType(type)
      return readDefinition(checkType, request.body, current ?? undefined)
    }
    return answer(request, reply, dryRun, (writing) =>
      inBody(
        () => checkType,
        request.body,
        () => managedChecks(deps).change(writing, { id, precondition, action: 'update', change }),
      ),
    )
  }

  /** Answers with the check as it is then; a dry run with what is wrong, or what would change. */
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

function patchOf(body: unknown): (definition: WrittenDefinition) => WrittenDefinition {
  const { activated, muted } = readObject(patchFields, body)
  if (activated === null && muted === null) throw invalid('The body', 'an object with activated or muted')
  return (definition) => ({ ...definition, ...(activated !== null && { activated }), ...(muted !== null && { muted }) })
}

function isPause(body: unknown): boolean {
  const { activated, muted } = readObject(patchFields, body)
  return activated === false && muted === null
}

const group = 'Managed checks'
const path = { id: idSchema }
const dryRunText = 'With `dryRun=true` nothing changes, and the answer is `{valid, faults, action, changes}`.'
const etag = { ETag: 'The version of the check, for If-Match.' }
const entry = { description: 'The check with its whole definition.', schema: managedCheckSchema, headers: etag }
const written = { ...entry, schema: writtenCheckSchema }
const dryRun = { description: 'With `dryRun=true`: what would change.', schema: dryRunSchema }

const bodyOf = (what: string) => ({
  description: `${what}, or \`{"definition": …}\` with an entry of \`checks:\` of the config file.`,
  mediaType: 'application/json',
  schema: { type: 'object' },
})

const postDoc = (checkType: CheckType): Doc => ({
  group,
  summary: `Add a check of type ${checkType.type}`,
  description: `It is active at once. A definition with a fault changes nothing: \`faults\` of the error names each by a JSON pointer. ${dryRunText}`,
  query: createParams,
  body: bodyOf('The check'),
  answer: { status: 201, ...entry },
  dryRun,
  errors: ['DEFINED_IN_FILE', 'CHECK_EXISTS', 'TOO_MANY_CHECKS', 'DEFINITIONS_TOO_LONG', 'MANAGED_OFF', ...definitionErrors],
})
const putOfTypeDoc = (checkType: CheckType): Doc => ({ ...putDoc, summary: `Replace a check of type ${checkType.type}` })
const putDoc: Doc = {
  group,
  summary: 'Replace the definition of a check',
  description: `With \`If-Match\`, only if the check still has that ETag. Secrets that an answer shows as variables stay, where they are sent back and the check still calls the same address. ${dryRunText}`,
  path,
  query: writeParams,
  body: bodyOf('The whole check'),
  answer: written,
  errors: [...writeErrors, 'DEFINITIONS_TOO_LONG', ...definitionErrors],
}
const patchBody = {
  description: 'What is to change.',
  mediaType: 'application/json',
  schema: objectSchema(patchFields),
  example: { muted: true },
}
const patchErrors = [...definitionErrors, 'UNKNOWN_PROPERTY', 'INVALID_PARAMETER'] as const
const patchDoc: Doc = {
  group,
  summary: 'Pause or mute a check',
  description: 'One whose definition has become faulty can be paused as well; the answer has its faults then.',
  path,
  query: writeParams,
  body: patchBody,
  answer: written,
  errors: [...writeErrors, 'DEFINITIONS_TOO_LONG', ...patchErrors],
}
const bulkDoc: Doc = {
  group,
  summary: 'Pause or mute all checks with a tag',
  description:
    'Checks of the config file stay as they are, and are counted. So do checks that would have faults: `failed` has the first 1,000 of them. One such request of an account is answered at a time.',
  query: bulkParams,
  body: patchBody,
  answer: {
    description: 'How many checks were changed.',
    schema: bulkChangeSchema,
    example: { changed: 12, unchanged: 1, definedInFile: 0, failed: [] },
  },
  errors: ['MANAGED_OFF', 'BULK_CHANGE_UNDER_WAY', ...patchErrors],
}
const deleteDoc: Doc = {
  group,
  summary: 'Delete a check',
  description: 'Its results stay until they are too old, and for an hour it can be restored.',
  path,
  query: writeParams,
  answer: { status: 204, description: 'It is deleted.' },
  dryRun,
  errors: [...writeErrors, 'CHECK_IN_USE', ...unusedBodyErrors],
}
