import { isDeepStrictEqual } from 'node:util'
import { grouped } from '../collections/grouped.ts'
import { agentLocationOf, type Catalogue, type Check } from './catalogue.ts'
import type { Config } from './config-file/parse.ts'
import type { CheckDefinition } from './definitions.ts'
import { noPolicies } from './policies/policies.ts'

/** When a check was first seen, and when its definition last changed. */
export type Lifetime = Pick<Check, 'createdAt' | 'updatedAt'>

/** The catalogue of a config file; `lifetimes` has one entry per check. */
export function buildCatalogue(config: Omit<Config, 'refused' | 'watched'>, lifetimes: readonly Lifetime[]): Catalogue {
  const agents = new Set(config.keys.map((key) => JSON.stringify([key.account, agentLocationOf(key)])))
  const checks = config.checks.map((definition, index) => {
    const agentLocations = definition.locations.filter((location) => agents.has(JSON.stringify([definition.account, location])))
    return checkOf(definition, agentLocations, lifetimes[index] ?? { createdAt: 0, updatedAt: 0 })
  })
  const ordered = checks.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  const accounts = new Map(config.accounts.map((account) => [account.id, account]))
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
    check: (account, id) => byId.get(account)?.get(id),
    checks: (account) => byAccount.get(account) ?? [],
    allChecks: () => ordered,
    checkByPingToken: (hash) => byToken.get(hash),
    policies: (account) => config.policies.get(account) ?? noPolicies,
    service: () => config.service,
  }
}

const built = new WeakMap<CheckDefinition, Check>()

/** The same object for the same definition: after a change of a large file, most are. */
function checkOf(definition: CheckDefinition, agentLocations: readonly string[], { createdAt, updatedAt }: Lifetime): Check {
  const known = built.get(definition)
  const isSame = known?.createdAt === createdAt && known.updatedAt === updatedAt && isDeepStrictEqual(known.agentLocations, agentLocations)
  if (isSame) return known
  const { fingerprint: _, ...rest } = definition
  const check = { ...rest, agentLocations, createdAt, updatedAt }
  built.set(definition, check)
  return check
}

function tokenHash({ checkType, settings }: Check): string {
  return checkType.pingSettings?.(settings).tokenHash ?? ''
}
