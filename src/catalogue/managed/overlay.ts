import type { Env } from '../../config.ts'
import { agentLocationsBy, checkOf, compareCreation, dependentsIn, type Lifetime, tokenHash } from '../build.ts'
import type { Catalogue, Check, ServiceSettings } from '../catalogue.ts'
import type { Config } from '../config-file/parse.ts'
import type { CheckDefinition } from '../definitions.ts'
import { channelLayer } from './channel-layer.ts'
import { locationLayer } from './location-layer.ts'
import { maintenanceLayer } from './maintenance-layer.ts'
import type { CatalogueLayer } from './policy-layer.ts'
import { createResourceIndex, type ResourceChange, type Resources } from './resources.ts'

type ManagedCheck = { readonly definition: CheckDefinition & { readonly managedVersion: number }; readonly lifetime: Lifetime }

/** `check` is null after a deletion. */
export type ManagedChange = { readonly account: string; readonly id: string; readonly check: ManagedCheck | null }

/** Checks and resources managed over the API, layered over the config file. If both have a check of the same id, the managed one wins. */
type Overlay = {
  apply(changed: readonly ManagedChange[]): void
  /** Applies changes of resources other than checks. */
  applyResources(changed: readonly ResourceChange[]): void
  readonly resources: Resources
  has(account: string, id: string): boolean
  /** The catalogue of a config file with this overlay. It reflects later changes of the overlay, too. */
  over(file: Catalogue, keys: Config['keys']): Catalogue
}

/** `env` has the variables that channels may refer to. */
export function createOverlay(env: Env = {}): Overlay {
  const byAccount = new Map<string, Map<string, ManagedCheck>>()
  const byToken = new Map<string, ManagedCheck>()
  const resources = createResourceIndex()
  let revision = 0

  const find = (account: string, id: string) => byAccount.get(account)?.get(id)
  const forgetToken = (check: ManagedCheck | undefined) => {
    const token = check ? tokenHash(check.definition) : ''
    if (byToken.get(token) === check) byToken.delete(token)
  }

  function apply({ account, id, check }: ManagedChange): void {
    forgetToken(find(account, id))
    const own = byAccount.get(account) ?? new Map<string, ManagedCheck>()
    byAccount.set(account, own)
    if (!check) return void own.delete(id)
    own.set(id, check)
    const token = tokenHash(check.definition)
    if (token !== '') byToken.set(token, check)
  }

  return {
    apply(changed) {
      for (const change of changed) apply(change)
      revision++
    },
    applyResources(changed) {
      resources.apply(changed)
      revision++
    },
    resources,
    has: (account, id) => find(account, id) !== undefined,
    over(file, keys) {
      const agentLocationsOf = agentLocationsBy(keys)
      const known = new WeakMap<ManagedCheck, Check>()
      const built = (managed: ManagedCheck): Check => {
        const { definition, lifetime } = managed
        const check = known.get(managed) ?? checkOf(definition, agentLocationsOf(definition), lifetime)
        known.set(managed, check)
        return check
      }
      const isTaken = ({ account, id }: Check) => find(account, id) !== undefined
      const own = (account: string) => (file.account(account) ? [...(byAccount.get(account)?.values() ?? [])] : [])
      const definitionsOf = (account: string) => own(account).map(({ definition }) => definition)
      const withManaged = (ofFile: readonly Check[], managed: readonly ManagedCheck[]): readonly Check[] =>
        managed.length === 0 ? ofFile : [...ofFile.filter((check) => !isTaken(check)), ...managed.map(built)].sort(compareCreation)
      const lists = createLists(() => revision)
      let merged: Catalogue = {
        ...file,
        check(account, id) {
          const managed = find(account, id)
          if (!managed) return file.check(account, id)
          return file.account(account) && built(managed)
        },
        checks: (account) => lists.of(account, () => withManaged(file.checks(account), own(account))),
        allChecks: () => lists.of(null, () => withManaged(file.allChecks(), [...byAccount.keys()].flatMap(own))),
        accountsWithChecks: () => [
          ...new Set([
            ...file.accountsWithChecks(),
            ...[...byAccount].flatMap(([id, { size }]) => (size > 0 && file.account(id) ? [id] : [])),
          ]),
        ],
        // Unsorted: a sorted list would have to be rebuilt after every change.
        dependents: (account, id) => [
          ...file.dependents(account, id).filter((other) => find(account, other) === undefined),
          ...(file.account(account) ? dependentsIn(definitionsOf(account), id) : []),
        ],
        checkByPingToken(hash) {
          const managed = byToken.get(hash)
          if (managed) return file.account(managed.definition.account) && built(managed)
          const found = file.checkByPingToken(hash)
          return found && isTaken(found) ? undefined : found
        },
        service: () => lists.service(file.service()),
      }
      for (const layer of catalogueLayers) merged = { ...merged, ...layer(merged, resources, env) }
      return merged
    },
  }
}

/** Lists are built on first use in each revision, and cached. */
function createLists(revision: () => number) {
  let of = -1
  let lists = new Map<string | null, readonly Check[]>()
  let service: { readonly settings: ServiceSettings; readonly copy: ServiceSettings } | null = null
  const renew = () => {
    if (of === revision()) return
    of = revision()
    lists = new Map()
    service = null
  }
  return {
    of(account: string | null, make: () => readonly Check[]): readonly Check[] {
      renew()
      const list = lists.get(account) ?? make()
      lists.set(account, list)
      return list
    },
    /** Returns another object in each revision, so that callers notice changes. */
    service(settings: ServiceSettings): ServiceSettings {
      renew()
      if (service?.settings !== settings) service = { settings, copy: of === 0 ? settings : { ...settings } }
      return service.copy
    },
  }
}

/** Applied in this order: each layer builds on the previous ones. */
const catalogueLayers: readonly CatalogueLayer[] = [maintenanceLayer, channelLayer, locationLayer]
