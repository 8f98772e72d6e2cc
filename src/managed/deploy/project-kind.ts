import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import type { ResourceKind } from '../resources/resource-kind.ts'

/** A resource that a project has: what the project calls it, and what it is here. */
export type ProjectMember = { readonly type: string; readonly logicalId: string; readonly physicalId: string | number }

/** A resource that the last deployment took out of the project. */
type RemovedMember = ProjectMember & { readonly action: 'DELETE' | 'DETACHED' }

/** What is kept of a project that a command-line client deploys. */
export type ProjectDefinition = {
  readonly id: string
  readonly name: string
  readonly repoUrl: string | null
  readonly members: readonly ProjectMember[]
  /** The last deployment that changed something. */
  readonly deployment: {
    readonly id: string
    readonly startedAt: number
    /** Which of the members it created, by their places in the list. */
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

/** Sound because only deployments write documents of this kind. */
export function projectIn({ definition }: Pick<ManagedResource, 'definition'>): ProjectDefinition {
  return definition as ProjectDefinition
}

/** What a deployment does to a resource. One that stays as it is counts as updated: clients expect all of them. */
export type DeployedChange = ProjectMember & { readonly action: 'CREATE' | 'UPDATE' | 'DELETE' | 'DETACHED' }

type Changed = Pick<ProjectDefinition, 'members'> & { readonly deployment: Pick<ProjectDefinition['deployment'], 'created' | 'removed'> }

export function deployedChanges({ members, deployment: { created, removed } }: Changed): readonly DeployedChange[] {
  const isCreated = new Set(created)
  const kept = members.map((member, index) => ({ ...member, action: isCreated.has(index) ? ('CREATE' as const) : ('UPDATE' as const) }))
  return [...kept, ...removed]
}

export const memberKey = ({ type, logicalId }: Pick<ProjectMember, 'type' | 'logicalId'>) => JSON.stringify([type, logicalId])
