import type { WrittenDefinition } from '../written-definition.ts'

/** A managed resource other than a check, such as a check group. */
export type ManagedResource = {
  readonly kind: string
  readonly account: string
  /** A positive integer as text, or a name. */
  readonly id: string
  readonly version: number
  /** As stored, including secrets. */
  readonly definition: WrittenDefinition
  readonly createdAt: number
  readonly updatedAt: number
}

type ResourceRef = Pick<ManagedResource, 'kind' | 'account' | 'id'>

/** `resource` is null after a deletion. */
export type ResourceChange = ResourceRef & { readonly resource: ManagedResource | null }

export type Resources = {
  find(ref: ResourceRef): ManagedResource | undefined
  /** In the order of addition. Returns the same list until one of the resources changes. */
  list(kind: string, account: string): readonly ManagedResource[]
  /** Across accounts. Returns the same list until one of the resources changes. */
  all(kind: string): readonly ManagedResource[]
}

type ResourceIndex = Resources & { apply(changes: readonly ResourceChange[]): void }

export function createResourceIndex(): ResourceIndex {
  const owners = new Map<string, Map<string, ManagedResource>>()
  const lists = new Map<string, readonly ManagedResource[]>()
  const kinds = new Map<string, { readonly accounts: Set<string>; all: readonly ManagedResource[] | null }>()
  return {
    find: ({ kind, account, id }) => owners.get(ownerOf(kind, account))?.get(id),
    list(kind, account) {
      const owner = ownerOf(kind, account)
      const known = lists.get(owner) ?? [...(owners.get(owner)?.values() ?? [])].sort(compareAddition)
      if (known.length > 0) lists.set(owner, known)
      return known.length > 0 ? known : none
    },
    all(kind) {
      const known = kinds.get(kind)
      if (!known) return none
      known.all ??= [...known.accounts].flatMap((account) => [...(owners.get(ownerOf(kind, account))?.values() ?? [])])
      return known.all
    },
    apply(changes) {
      for (const { kind, account, id, resource } of changes) {
        const owner = ownerOf(kind, account)
        const own = owners.get(owner) ?? new Map<string, ManagedResource>()
        owners.set(owner, own)
        lists.delete(owner)
        kinds.set(kind, { accounts: (kinds.get(kind)?.accounts ?? new Set()).add(account), all: null })
        if (resource) own.set(id, resource)
        else own.delete(id)
      }
    },
  }
}

export const noResources: Resources = createResourceIndex()

/** The resources after changes that are not written yet. */
export function withChanges(resources: Resources, changes: readonly ResourceChange[]): Resources {
  const planned = new Map(changes.map((change) => [JSON.stringify([change.kind, change.account, change.id]), change]))
  const changeOf = ({ kind, account, id }: ResourceRef) => planned.get(JSON.stringify([kind, account, id]))
  return {
    find(ref) {
      const change = changeOf(ref)
      return change ? (change.resource ?? undefined) : resources.find(ref)
    },
    list(kind, account) {
      const kept = resources.list(kind, account).filter((resource) => !changeOf(resource))
      const added = changes.flatMap(({ resource }) => (resource?.kind === kind && resource.account === account ? [resource] : []))
      return [...kept, ...added].sort(compareAddition)
    },
    all(kind) {
      const kept = resources.all(kind).filter((resource) => !changeOf(resource))
      return [...kept, ...changes.flatMap(({ resource }) => (resource?.kind === kind ? [resource] : []))]
    },
  }
}

const none: readonly ManagedResource[] = []
const ownerOf = (kind: string, account: string) => JSON.stringify([kind, account])

function compareAddition(a: ManagedResource, b: ManagedResource): number {
  return a.createdAt - b.createdAt || a.id.length - b.id.length || (a.id < b.id ? -1 : 1)
}
