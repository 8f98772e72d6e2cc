import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Account } from '../../catalogue/catalogue.ts'
import { newKey } from '../../catalogue/keys.ts'
import { type AgentKey, locationOf } from '../../catalogue/managed/location-layer.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import {
  privateLocationKind as kind,
  locationFromBody,
  requireAllowed,
  requireUnused,
  restoredLocation,
} from '../../managed/resources/private-location.ts'
import { invalidDefinition, type Written } from '../../managed/writing.ts'
import { readParams } from '../input/params.ts'
import { preconditionOf, writeParams, writingOf } from '../input/write-check.ts'
import { dryRunAnswer } from '../output/dry-run.ts'
import { fileLocationEntry, keyEntry, locationEntry } from '../output/private-location.ts'
import { dryRunSchema } from '../reference/managed-schemas.ts'
import { agentKeySchema, privateLocationBody, privateLocationSchema } from '../reference/policy-schemas.ts'
import { type Deps, type Doc, managedChecks, type Routes, unusedBodyErrors } from '../route.ts'
import { addResourceRoutes, type ResourceShape } from './resource-routes.ts'

const path = '/v1/private-locations'
const maxKeys = 10

/** Agent locations in the format of existing clients. A key is shown once, in the answer to the request that creates it. */
export const privateLocationRoutes: Routes = (app, deps) => {
  /** New keys, by the request that creates them, until it is answered. */
  const made = new WeakMap<FastifyRequest, { readonly id: string; readonly key: string }>()
  const addKey = (request: FastifyRequest): AgentKey => {
    const fresh = newKey(randomBytes)
    made.set(request, fresh)
    return { id: fresh.id, hash: sha256(fresh.key), createdAt: Math.floor(deps.clock.now()) }
  }
  const withRawKey = <Entry extends { readonly id: string }>(entry: Entry, request: FastifyRequest) => {
    const fresh = made.get(request)
    return fresh?.id === entry.id ? { ...entry, rawKey: fresh.key } : entry
  }

  addResourceRoutes(app, deps, {
    ...described,
    read(body, { account, current, request }) {
      const context = { account, catalogue: deps.catalogue, current, newKey: () => addKey(request) }
      return { id: randomUUID(), definition: locationFromBody(body, context) }
    },
    restore(definition, { account, last, isDeleted }) {
      const { keys } = locationOf(last)
      return restoredLocation(definition, { account, catalogue: deps.catalogue, current: isDeleted ? null : last, keys })
    },
    entry(location, request) {
      const { keys, ...entry } = locationEntry(location, deps.agents)
      return { ...entry, keys: keys.map((key) => withRawKey(key, request)) }
    },
    entries: (account) => [
      ...fileLocations(deps, account),
      ...(deps.managed?.resources.list(account, kind) ?? []).map((location) => locationEntry(location, deps.agents)),
    ],
    otherEntry: (account, id) => fileLocations(deps, account).find((location) => location.id === id),
    guard: (location, account) => requireUnused(location, { account, catalogue: deps.catalogue }),
  })

  app.post(`${path}/:id/keys`, { bodyLimit: 1024, config: { access: 'write', doc: addKeyDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    let added: AgentKey | null = null
    const change = (current: ManagedResource): WrittenDefinition => {
      requireAllowed(deps.catalogue)
      const location = locationOf(current)
      if (location.keys.length >= maxKeys)
        throw invalidDefinition([{ pointer: '', message: `a location has at most ${maxKeys} keys: delete one first` }])
      added ??= addKey(request)
      return { ...current.definition, keys: [...location.keys, added] }
    }
    const written = await changeOne(deps, request, { dryRun, change })
    return dryRun ? dryRunAnswer(written) : reply.code(201).send(added && withRawKey(keyEntry(added), request))
  })

  app.delete(`${path}/:id/keys/:keyId`, { config: { access: 'write', doc: deleteKeyDoc } }, async (request, reply) => {
    const { dryRun } = readParams(writeParams, request.query)
    const { keyId } = request.params as { readonly keyId: string }
    const change = (current: ManagedResource): WrittenDefinition => {
      const { keys } = locationOf(current)
      if (!keys.some(({ id }) => id === keyId)) throw apiError('RESOURCE_NOT_FOUND', { noun: 'key' })
      return { ...current.definition, keys: keys.filter(({ id }) => id !== keyId) }
    }
    const written = await changeOne(deps, request, { dryRun, change })
    return dryRun ? dryRunAnswer(written) : reply.code(204).send()
  })
}

type KeyChange = { readonly dryRun: boolean; readonly change: (current: ManagedResource) => WrittenDefinition }

function changeOne(deps: Deps, request: FastifyRequest, { dryRun, change }: KeyChange): Promise<Written> {
  const { id } = request.params as { readonly id: string }
  return managedChecks(deps).resources.replace(writingOf(request, dryRun), kind, { id, precondition: preconditionOf(request), change })
}

function fileLocations({ catalogue, agents }: Deps, account: Account) {
  const own = catalogue.managedLocations(account.id)
  return catalogue
    .agentLocations(account.id)
    .filter((location) => !own.has(location))
    .map((location) => fileLocationEntry(account.id, location, agents))
}

const described: Omit<ResourceShape, 'read' | 'restore' | 'entry'> = {
  path,
  kind,
  group: 'Managed resources',
  plural: 'private locations',
  schema: privateLocationSchema,
  body: { schema: privateLocationBody, example: { name: 'Data centre 2', slugName: 'dc-2', icon: 'location' } },
  id: { name: 'id', schema: { type: 'string', description: 'The id of a private location.' } },
  errors: ['RESOURCE_IN_USE', 'DEFINED_IN_FILE'],
}
const dryRun = { description: 'With `dryRun=true`: what would change.', schema: dryRunSchema }
const pathOfOne = { id: described.id.schema }
const addKeyDoc: Doc = {
  group: described.group,
  summary: 'Add a key of the agents of a private location',
  description: `At most ${maxKeys}. The key gives access to the checks of the location, with their secrets.`,
  path: pathOfOne,
  query: writeParams,
  dryRun,
  answer: { status: 201, description: 'The key, shown only once.', schema: agentKeySchema },
  errors: ['RESOURCE_NOT_FOUND', 'VERSION_CONFLICT', 'MANAGED_OFF', 'INVALID_DEFINITION', ...unusedBodyErrors],
}
const deleteKeyDoc: Doc = {
  group: described.group,
  summary: 'Revoke a key of the agents of a private location',
  description: 'Takes effect at once: waiting requests are closed.',
  path: { ...pathOfOne, keyId: { type: 'string', description: 'The id of the key.' } },
  query: writeParams,
  dryRun,
  answer: { status: 204, description: 'It is revoked.' },
  errors: ['RESOURCE_NOT_FOUND', 'VERSION_CONFLICT', 'MANAGED_OFF', ...unusedBodyErrors],
}
