import { uuidOf } from '../../ids/uuid.ts'
import { agentScope, type Catalogue, type Check, type Key } from '../catalogue.ts'
import { defaultLocation } from '../definitions.ts'
import type { CatalogueLayer } from './policy-layer.ts'
import type { ManagedResource, Resources } from './resources.ts'

export const locationKind = 'private-location'

/** A key for the agents of a location. Only its hash is stored. */
export type AgentKey = { readonly id: string; readonly hash: string; readonly createdAt: number }

/** A private location as stored. */
type LocationDefinition = {
  readonly name: string
  /** The name that checks refer to. */
  readonly slugName: string
  readonly icon?: string
  readonly keys: readonly AgentKey[]
}

export const locationOf = ({ definition }: Pick<ManagedResource, 'definition'>) => definition as LocationDefinition

/** The id of a location of the config file in the API. */
export const fileLocationId = (account: string, location: string) => uuidOf([account, 'location', location])

type FileCatalogue = Pick<Catalogue, 'account' | 'service' | 'agentLocations' | 'policies'>

/** Location names that the config file uses. Managed locations must not have them. */
export function reservedLocations(account: string, catalogue: FileCatalogue): ReadonlySet<string> {
  const { runnerLocations } = catalogue.service()
  const withCanaries = catalogue.policies(account).canaries.map(({ location }) => location)
  return new Set([defaultLocation, ...(runnerLocations ?? []), ...catalogue.agentLocations(account), ...withCanaries])
}

/**
 * Adds managed locations and the keys of their agents, if the config file allows it. Checks of the config file are never given to these
 * agents, which would see the secrets of the file.
 */
export const locationLayer: CatalogueLayer = (below, resources) => {
  const locations = createActiveLocations(below, resources)
  const keys = memoByList(
    (all) =>
      new Map(
        locations
          .ofAll(all)
          .flatMap(keysOf)
          .map((key) => [key.hash, key]),
      ),
  )
  const places = createPlaces(locations.of)
  const checks = new Map<
    string | null,
    { readonly list: readonly Check[]; readonly all: readonly ManagedResource[]; readonly made: readonly Check[] }
  >()
  const relocated = (account: string | null, list: readonly Check[]): readonly Check[] => {
    const all = resources.all(locationKind)
    if (all.length === 0 || !locations.isAllowed()) return list
    const known = checks.get(account)
    if (known?.list === list && known.all === all) return known.made
    const made = list.map(places)
    checks.set(account, { list, all, made })
    return made
  }
  const one = (check: Check | undefined) => check && places(check)
  const keyOf = (hash: string) => (locations.isAllowed() ? keys(resources.all(locationKind)).get(hash) : undefined)
  return {
    keyByHash: (hash) => below.keyByHash(hash) ?? keyOf(hash),
    agentLocations: (account) => [...new Set([...below.agentLocations(account), ...locations.of(account).keys()])],
    managedLocations: (account) => new Map([...locations.of(account)].map(([name, { id }]) => [name, id])),
    check: (account, id) => one(below.check(account, id)),
    checks: (account) => relocated(account, below.checks(account)),
    allChecks: () => relocated(null, below.allChecks()),
    checkByPingToken: (hash) => one(below.checkByPingToken(hash)),
  }
}

function keysOf(location: ManagedResource): readonly Key[] {
  const { name, slugName, keys } = locationOf(location)
  return keys.map(({ id, hash }) => ({ id, name, hash, account: location.account, scopes: [agentScope(slugName)] }))
}

/** By `slugName`. */
type ActiveLocations = ReadonlyMap<string, ManagedResource>

const nowhere: ActiveLocations = new Map()

/** The active locations of an account. Returns the same object until one of them changes. */
function createActiveLocations(below: FileCatalogue, resources: Resources) {
  const known = new WeakMap<readonly ManagedResource[], ActiveLocations>()
  const isAllowed = () => below.service().allowManagedLocations
  const of = (account: string): ActiveLocations => {
    const list = resources.list(locationKind, account)
    if (list.length === 0 || !isAllowed() || !below.account(account)) return nowhere
    const found = known.get(list) ?? allowedIn(list, reservedLocations(account, below))
    known.set(list, found)
    return found
  }
  const ofAll = (all: readonly ManagedResource[]) => {
    const accounts = new Set(all.map(({ account }) => account))
    return [...accounts].flatMap((account) => [...of(account).values()])
  }
  return { isAllowed, of, ofAll }
}

/** Two processes can add locations of the same name concurrently. All processes use the first one. */
function allowedIn(list: readonly ManagedResource[], reserved: ReadonlySet<string>): ActiveLocations {
  const named = list.map((location) => [locationOf(location).slugName, location] as const)
  return new Map(named.filter(([name]) => !reserved.has(name)).reverse())
}

/** Adds managed locations to `agentLocations` of managed checks. Returns the same check until the locations of its account change. */
function createPlaces(locationsOf: (account: string) => ActiveLocations) {
  const moved = new WeakMap<Check, { readonly to: ActiveLocations; readonly check: Check }>()
  return (check: Check): Check => {
    if (check.managedVersion === undefined) return check
    const to = locationsOf(check.account)
    if (!check.locations.some((location) => to.has(location) && !check.agentLocations.includes(location))) return check
    const known = moved.get(check)
    if (known?.to === to) return known.check
    const isOfAgents = (location: string) => to.has(location) || check.agentLocations.includes(location)
    const made = { ...check, agentLocations: check.locations.filter(isOfAgents) }
    moved.set(check, { to, check: made })
    return made
  }
}

function memoByList<T>(make: (list: readonly ManagedResource[]) => T): (list: readonly ManagedResource[]) => T {
  let last: { readonly list: readonly ManagedResource[]; readonly made: T } | null = null
  return (list) => {
    if (last?.list !== list) last = { list, made: make(list) }
    return last.made
  }
}
