import type { Account, Catalogue, Check } from '../../catalogue/catalogue.ts'
import { Label } from '../../catalogue/config-file/entry-fields.ts'
import { type AgentKey, locationKind, locationOf, reservedLocations } from '../../catalogue/managed/location-layer.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { readPrivateLocation } from '../../catalogue/wire/private-location.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import { Check as matches } from '../../schema/typebox.ts'
import { invalidDefinition } from '../writing.ts'
import { readResourceBody } from './read-resource-body.ts'
import type { ResourceKind } from './resource-kind.ts'

export const privateLocationKind: ResourceKind = {
  kind: locationKind,
  noun: 'private location',
  limit: { count: 1000, characters: 4 * 2 ** 20 },
  maxLength: 16_384,
  uniqueName: (definition) => locationOf({ definition }).slugName,
  shown: (definition) => ({ ...definition, keys: locationOf({ definition }).keys.map(({ id }) => ({ id, hash: '•••' })) }),
}

type LocationContext = {
  readonly account: Account
  readonly catalogue: Catalogue
  readonly current: ManagedResource | null
  /** Creates the first agent key; null if nobody would see it. */
  readonly newKey: (() => AgentKey) | null
  /** Checks that change in the same write. */
  readonly except?: ReadonlySet<string> | undefined
}

/** Throws if the config file does not allow it: agents with a key of a location receive the secrets of its checks. */
export function requireAllowed(catalogue: Catalogue): void {
  if (catalogue.service().allowManagedLocations) return
  const message =
    'private locations are managed over the API only where the config file says allowManagedLocations: true, since their agents get the secrets of checks'
  throw invalidDefinition([{ pointer: '', message }])
}

export function locationFromBody(body: unknown, context: LocationContext): WrittenDefinition {
  const { account, catalogue, current, newKey, except } = context
  requireAllowed(catalogue)
  const definition = readResourceBody(body, readPrivateLocation)
  const { name, slugName } = definition
  const faults = [
    ...(name === undefined ? [{ pointer: '/name', message: 'name is missing' }] : []),
    ...(matches(Label, slugName) ? [] : [{ pointer: '/slugName', message: 'slugName must be text of 1 to 128 characters without commas' }]),
  ]
  if (faults.length > 0) throw invalidDefinition(faults)
  const before = current && locationOf(current)
  requireName(String(slugName), { account, catalogue, current, except })
  return { ...definition, keys: before?.keys ?? (newKey ? [newKey()] : []) }
}

type RestoredLocation = Pick<LocationContext, 'account' | 'catalogue' | 'current'> & {
  /** Keys of the newest version: a revoked key stays revoked. */
  readonly keys: readonly AgentKey[]
}

/** Prepares an earlier definition for restoring; `current` is null for a deleted location. */
export function restoredLocation(definition: WrittenDefinition, { keys, ...context }: RestoredLocation): WrittenDefinition {
  requireAllowed(context.catalogue)
  requireName(locationOf({ definition }).slugName, context)
  return { ...definition, keys }
}

type NameContext = UseContext & Pick<LocationContext, 'current'>

/** Throws if the name is taken, or the previous one is in use. */
function requireName(slugName: string, { current, ...context }: NameContext): void {
  if (current && locationOf(current).slugName === slugName) return
  requireFree(slugName, context.account, context.catalogue)
  if (current) requireUnused(current, context)
}

function requireFree(slugName: string, account: Account, catalogue: Catalogue): void {
  if (catalogue.agentLocations(account.id).includes(slugName)) throw apiError('RESOURCE_EXISTS', { noun: privateLocationKind.noun })
  const isOfFile = ({ managedVersion, locations }: Check) => managedVersion === undefined && locations.includes(slugName)
  if (!reservedLocations(account.id, catalogue).has(slugName) && !catalogue.checks(account.id).some(isOfFile)) return
  const message = `${slugName} is a location of the config file: it is given to agents there, by a key of the scope agent:${slugName}`
  throw invalidDefinition([{ pointer: '/slugName', message }])
}

type UseContext = Pick<LocationContext, 'account' | 'catalogue' | 'except'>

/** Throws if checks run at an active location. */
export function requireUnused(location: ManagedResource, { account, catalogue, except }: UseContext): void {
  const { slugName } = locationOf(location)
  if (catalogue.managedLocations(account.id).get(slugName) !== location.id) return
  const users = catalogue.checks(account.id).filter(({ id, agentLocations }) => agentLocations.includes(slugName) && !except?.has(id))
  if (users.length === 0) return
  const named = users.slice(0, 5).map(({ id }) => `check ${id}`)
  throw apiError('RESOURCE_IN_USE', { noun: privateLocationKind.noun, users: named.join(', ') })
}
