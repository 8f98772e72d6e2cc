import { isDeepStrictEqual } from 'node:util'
import { grouped } from '../collections/lists.ts'
import { agentLocationOf, type Catalogue, type Check } from './catalogue.ts'
import type { Config } from './config-file/parse.ts'
import type { CheckDefinition } from './definitions.ts'
import { noPolicies } from './policies/policies.ts'

/** When a check was first seen, and when its definition last changed. */
export type Lifetime = Pick<Check, 'createdAt' | 'updatedAt'>

/** The catalogue of a config file; `lifetimes` has one entry per check. */
export function buildCatalogue(config: Omit<Config, 'refused' | 'watched'>, lifetimes: readonly Lifetime[]): Catalogue {
  const agentLocations = agentLocationsIn(config.keys)
  const agentLocationsOf = agentLocationsBy(config.keys)
  const checks = config.checks.map((definition, index) =>
    checkOf(definition, agentLocationsOf(definition), lifetimes[index] ?? { createdAt: 0, updatedAt: 0 }),
  )
  const ordered = checks.toSorted(compareCreation)
  const accounts = new Map(config.accounts.map((account) => [account.id, account]))
  const byPingKey = new Map(config.accounts.flatMap((one) => (one.pingKeyHash === undefined ? [] : [[one.pingKeyHash, one]])))
  const keys = new Map(config.keys.map((key) => [key.hash, key]))
  const byAccount = grouped(ordered, ({ account }) => account)
  const links = new Map(config.links.map((link) => [link.id, link]))
  const granted = new Set(config.keys.flatMap(({ scopes }) => scopes))
  const byId = new Map([...byAccount].map(([id, own]) => [id, new Map(own.map((check) => [check.id, check]))]))
  const byToken = new Map(ordered.flatMap((check) => (check.checkType.pingSettings ? [[tokenHash(check), check] as const] : [])))
  return {
    account: (id) => accounts.get(id),
    keyByHash: (hash) => keys.get(hash),
    link: (id) => links.get(id),
    hasScope: (scope) => granted.has(scope),
    agentLocations: (account) => [...(agentLocations.get(account) ?? [])],
    managedLocations: () => new Map(),
    check: (account, id) => byId.get(account)?.get(id),
    checks: (account) => byAccount.get(account) ?? [],
    allChecks: () => ordered,
    accountsWithChecks: () => [...byAccount.keys()],
    dependents: (account, id) => dependentsIn(byAccount.get(account) ?? [], id),
    checkByPingToken: (hash) => byToken.get(hash),
    accountByPingKey: (hash) => byPingKey.get(hash),
    policies: (account) => config.policies.get(account) ?? noPolicies,
    service: () => config.service,
  }
}

export function dependentsIn(checks: Iterable<Pick<Check, 'id' | 'dependsOn'>>, id: string): readonly string[] {
  const found: string[] = []
  for (const check of checks) if (check.id !== id && check.dependsOn.includes(id)) found.push(check.id)
  return found
}

export const compareCreation = (a: Check, b: Check) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)

/** Returns a function that finds the locations of a check that have agent keys. */
export function agentLocationsBy(keys: Config['keys']): (check: Pick<Check, 'account' | 'locations'>) => readonly string[] {
  const locations = agentLocationsIn(keys)
  return ({ account, locations: own }) => {
    const known = locations.get(account)
    return known ? own.filter((location) => known.has(location)) : []
  }
}

/** The locations with agent keys, by account. */
function agentLocationsIn(keys: Config['keys']): ReadonlyMap<string, ReadonlySet<string>> {
  const byAccount = grouped(keys, ({ account }) => account)
  return new Map([...byAccount].map(([account, own]) => [account, new Set(own.flatMap((key) => agentLocationOf(key) ?? []))]))
}

const built = new WeakMap<CheckDefinition, Check>()

/** Memoized by definition: most definitions stay the same when a large file changes. */
export function checkOf(definition: CheckDefinition, agentLocations: readonly string[], { createdAt, updatedAt }: Lifetime): Check {
  const known = built.get(definition)
  const isSame = known?.createdAt === createdAt && known.updatedAt === updatedAt && isDeepStrictEqual(known.agentLocations, agentLocations)
  if (isSame) return known
  const { fingerprint: _, ...rest } = definition
  // Not spread: on Node 20 each object would have its own hidden class, and reading a field of thousands of them would take ten times as
  // long.
  const check: Check = Object.assign({}, rest, { agentLocations, createdAt, updatedAt })
  built.set(definition, check)
  return check
}

/** Empty for a check that does not wait for pings. */
export function tokenHash({ checkType, settings }: Pick<Check, 'checkType' | 'settings'>): string {
  return checkType.pingSettings?.(settings).tokenHash ?? ''
}
