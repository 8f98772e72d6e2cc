import type { Env } from '../../config.ts'
import type { Catalogue } from '../catalogue.ts'
import type { Policies } from '../policies/policies.ts'
import type { ManagedResource, Resources } from './resources.ts'

/** What resources of one kind change of the catalogue below them. It is asked for each config file, and must follow every change of the resources. */
export type CatalogueLayer = (below: Catalogue, resources: Resources, env: Env) => Partial<Catalogue>

/** A layer of what resources of a kind add to the policies of their account; it is made once for each state of both. */
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
