import type { Env } from '../../config.ts'
import type { Catalogue } from '../catalogue.ts'
import type { Policies } from '../policies/policies.ts'
import type { ManagedResource, Resources } from './resources.ts'

/**
 * The part of the catalogue that resources of one kind change. Called once per config file; the result must reflect later changes of the
 * resources.
 */
export type CatalogueLayer = (below: Catalogue, resources: Resources, env: Env) => Partial<Catalogue>

/** A layer that adds to the policies of an account. Memoized until the policies or resources change. */
export function policyLayer(kind: string, add: (policies: Policies, own: readonly ManagedResource[]) => Policies): CatalogueLayer {
  return (below, resources) => {
    const known = new Map<string, { readonly policies: Policies; readonly own: readonly ManagedResource[]; readonly made: Policies }>()
    return {
      policies(account) {
        const policies = below.policies(account)
        const own = resources.list(kind, account)
        if (own.length === 0) return policies
        const last = known.get(account)
        if (last?.policies === policies && last.own === own) return last.made
        const made = add(policies, own)
        known.set(account, { policies, own, made })
        return made
      },
    }
  }
}
