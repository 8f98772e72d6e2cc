import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import type { ResourceKind } from '../resources/resource-kind.ts'

/** A resource of a project, by its logical and its physical id. */
export type ProjectMember = { readonly type: string; readonly logicalId: string; readonly physicalId: string | number }

/** A resource that the last deployment removed from the project. */
type RemovedMember = ProjectMember & { readonly action: 'DELETE' | 'DETACHED' }

/** The stored state of a deployed project. */
export type ProjectDefinition = {
  readonly id: string
  readonly name: string
  readonly repoUrl: string | null
  readonly members: readonly ProjectMember[]
  /** The last deployment that changed something. */
  readonly deployment: {
    readonly id: string
    readonly startedAt: number
    /** Indexes of the members that it created. */
    readonly created: readonly number[]
    readonly removed: readonly RemovedMember[]
  }
}

export const projectKind: ResourceKind = {
  kind: 'project',
  noun: 'project',
  limit: { count: 1000, characters: 64 * 2 ** 20 },
  maxLength: 4 * 2 ** 20,
  shown: (definition) => definition,
}

/** Safe: only deployments write documents of this kind. */
export function projectIn({ definition }: Pick<ManagedResource, 'definition'>): ProjectDefinition {
  return definition as ProjectDefinition
}

/** What a deployment does to a resource. Unchanged ones count as updated: clients expect an entry for each. */
export type DeployedChange = ProjectMember & { readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'DETACHED' }

type Changed = Pick<ProjectDefinition, 'members'> & { readonly deployment: Pick<ProjectDefinition['deployment'], 'created' | 'removed'> }

export function deployedChanges({ members, deployment: { created, removed } }: Changed): readonly DeployedChange[] {
  const isCreated = new Set(created)
  const kept = members.map((member, index) => ({ ...member, action: isCreated.has(index) ? ('CREATE' as const) : ('UPDATE' as const) }))
  return [...kept, ...removed]
}

export const memberKey = ({ type, logicalId }: Pick<ProjectMember, 'type' | 'logicalId'>) => JSON.stringify([type, logicalId])
