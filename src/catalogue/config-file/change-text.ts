import type { Catalogue } from '../catalogue.ts'
import type { Policies } from '../policies/policies.ts'
import type { Config } from './parse.ts'

type Version = { readonly catalogue: Catalogue; readonly config: Pick<Config, 'keys' | 'links' | 'policies'> }

/** Names of each kind in a log line. */
const maxNames = 10

/** What a reload changed: `12 checks, 1 added; key acme/grafana added; maintenance acme/Patch night changed`. */
export function changeText(before: Version, after: Version): string {
  return [
    checksText(before.catalogue, after.catalogue),
    ...namesText('key', keysOf(before), keysOf(after)),
    ...namesText('link', linksOf(before), linksOf(after)),
    ...namesText('maintenance', policiesBy(before, maintenanceOf), policiesBy(after, maintenanceOf)),
    ...namesText('channel', policiesBy(before, channelsOf), policiesBy(after, channelsOf)),
    ...namesText('alert rule', policiesBy(before, rulesOf), policiesBy(after, rulesOf)),
    ...namesText('canary', policiesBy(before, canariesOf), policiesBy(after, canariesOf)),
    ...namesText("dead man's switch of", switchesOf(before), switchesOf(after)),
  ].join('; ')
}

function checksText(before: Catalogue, after: Catalogue): string {
  const all = after.allChecks()
  const known = all.map(({ account, id }) => before.check(account, id))
  const added = known.filter((check) => !check).length
  const changed = all.filter(({ updatedAt }, index) => (known[index]?.updatedAt ?? updatedAt) !== updatedAt).length
  const removed = before.allChecks().length + added - all.length
  const counts = [`${added} added`, `${changed} changed`, `${removed} removed`].filter((text) => !text.startsWith('0 '))
  return [`${all.length} checks`, ...counts].join(', ')
}

/** Entries by name, each with a text that differs if the entry does. */
type Named = ReadonlyMap<string, string>

const keysOf = ({ config }: Version): Named =>
  new Map(config.keys.map(({ account, name, hash, scopes }) => [`${account}/${name}`, JSON.stringify([hash, scopes])]))

const linksOf = ({ config }: Version): Named =>
  new Map(config.links.map(({ account, name, signature }) => [`${account}/${name}`, signature]))

type NamedPolicy = { readonly name: string; readonly policy: object }

const maintenanceOf = ({ maintenance }: Policies) => maintenance.map((policy) => ({ name: policy.name, policy }))
const channelsOf = ({ channels }: Policies) => channels.map((policy) => ({ name: policy.id, policy }))
const rulesOf = ({ alerts }: Policies) => alerts.map((policy) => ({ name: policy.id, policy }))

const canariesOf = ({ canaries }: Policies) => canaries.map((policy) => ({ name: policy.location, policy }))

const switchesOf = ({ config }: Version): Named =>
  new Map([...config.policies].flatMap(([account, { deadManSwitch: given }]) => (given ? [[account, JSON.stringify(given)]] : [])))

function policiesBy({ config }: Version, of: (policies: Policies) => readonly NamedPolicy[]): Named {
  const found = new Map<string, string>()
  for (const [account, policies] of config.policies)
    for (const { name, policy } of of(policies)) {
      const unique = `${account}/${name}`
      found.set(unique, (found.get(unique) ?? '') + JSON.stringify(policy, nameOfZone))
    }
  return found
}

function nameOfZone(key: string, value: unknown): unknown {
  return key === 'zone' ? (value as { readonly name?: unknown }).name : value
}

function namesText(kind: string, before: Named, after: Named): readonly string[] {
  const added = [...after.keys()].filter((name) => !before.has(name))
  const removed = [...before.keys()].filter((name) => !after.has(name))
  const changed = [...after].filter(([name, value]) => before.has(name) && before.get(name) !== value).map(([name]) => name)
  return Object.entries({ added, changed, removed }).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${kind} ${listed(names)} ${what}`],
  )
}

/** The first names, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - maxNames
  return [...names.slice(0, maxNames), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
