import type { Account } from '../../catalogue/catalogue.ts'
import { ApiError } from '../../errors.ts'
import type { PlanView } from '../plan-checks.ts'
import type { PlannedWrite } from '../writing.ts'
import type { ProjectMember } from './project-kind.ts'
import type { Relations } from './relations.ts'
import { ResourceFaults, type SentResource } from './sent-resource.ts'
import type { SharedFile } from './split-body.ts'

/** What is known while a deployment is planned. */
export type DeployState = {
  readonly account: Account
  /** Of the key that deploys. */
  readonly keyId: string
  /** What is there, and what was planned before. */
  readonly view: PlanView
  /** The id that the project has for a resource; null where it is new. */
  readonly current: ProjectMember['physicalId'] | null
  /** What several checks share. */
  readonly files: readonly SharedFile[]
  /** The ids of checks that the project had before, each of which is planned as well, or removed. */
  readonly own: ReadonlySet<string>
  readonly relations: Relations
  /** The id of another resource that the project sends. */
  idOf(type: string, logicalId: string): ProjectMember['physicalId'] | undefined
}

/** How resources of one type are written. Where one has faults, `ResourceFaults` is thrown. */
export type ResourceWriter = {
  readonly type: string
  plan(resource: SentResource, state: DeployState): Promise<PlannedResource>
  /** Begins to delete some together: the function that it gives plans each of them. */
  removals(physicalIds: readonly ProjectMember['physicalId'][], state: Pick<DeployState, 'account' | 'own'>): PlanRemoval
}

/** Undefined where it is gone already. */
type PlanRemoval = (physicalId: ProjectMember['physicalId']) => Promise<PlannedWrite | undefined>

/** `write` is null where nothing changes. */
type PlannedResource = { readonly physicalId: ProjectMember['physicalId']; readonly isNew: boolean; readonly write: PlannedWrite | null }

/** Errors of the API as faults of a resource; `placed` tells where a place of its definition is in its payload. */
export async function asFaults<T>(plan: () => T | Promise<T>, placed: (pointer: string) => string = String): Promise<T> {
  try {
    return await plan()
  } catch (problem) {
    if (!(problem instanceof ApiError)) throw problem
    const faults = problem.faults ?? [{ pointer: '', message: problem.message }]
    throw new ResourceFaults(faults.map(({ pointer, message }) => ({ pointer: placed(pointer), message })))
  }
}
