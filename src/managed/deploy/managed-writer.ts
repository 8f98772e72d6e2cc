import type { Account } from '../../catalogue/catalogue.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { ManagedResources } from '../resources/managed-resources.ts'
import type { ResourceKind } from '../resources/resource-kind.ts'
import { asFaults, type DeployState, type ResourceWriter } from './resource-writer.ts'
import type { SentResource } from './sent-resource.ts'

type ManagedWriterOptions = {
  /** The name of the kind in projects. */
  readonly type: string
  readonly kind: ResourceKind
  readonly resources: ManagedResources
  /** Reads the definition in a payload, and the id of a new resource that has a name; throws with its faults. */
  readonly read: (resource: SentResource, state: DeployState, current: ManagedResource | null) => Promise<NewDefinition>
  /** Throws if it may not be deleted. */
  readonly guard?: (resource: ManagedResource, state: Pick<DeployState, 'account' | 'own'>) => Promise<void>
}

type NewDefinition = { readonly id?: string; readonly definition: WrittenDefinition }

/** Writes managed resources other than checks. */
export function createManagedWriter({ type, kind, resources, read, guard }: ManagedWriterOptions): ResourceWriter {
  const find = (account: Account, id: string | number | null) => (id === null ? undefined : resources.find(account, kind, String(id)))
  return {
    type,
    async plan(resource, state) {
      const { account } = state
      const current = find(account, state.current)
      if (!current) {
        const order = await asFaults(() => read(resource, state, null))
        const write = await asFaults(() => resources.planCreate(account, kind, order))
        return { physicalId: physicalIdOf(write.change.id), isNew: true, write }
      }
      const { id } = current
      const change = async (found: ManagedResource) => (await read(resource, state, found)).definition
      const write = await asFaults(() => resources.planReplace(account, kind, { id, precondition: null, change }))
      return { physicalId: physicalIdOf(id), isNew: false, write }
    },
    removals: (_, state) => async (physicalId) => {
      const current = find(state.account, physicalId)
      if (!current) return undefined
      const order = { id: current.id, precondition: null, guard: async (found: ManagedResource) => guard?.(found, state) }
      return asFaults(() => resources.planRemove(state.account, kind, order))
    },
  }
}

/** Clients expect numeric ids as numbers. */
const physicalIdOf = (id: string) => (/^[1-9][0-9]{0,15}$/.test(id) ? Number(id) : id)
