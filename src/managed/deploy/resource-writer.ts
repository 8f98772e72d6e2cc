import type { Account } from '../../catalogue/catalogue.ts'
import { ApiError } from '../../errors.ts'
import type { PlanView } from '../plan-checks.ts'
import type { PlannedWrite } from '../writing.ts'
import type { ProjectMember } from './project-kind.ts'
import type { Relations } from './relations.ts'
import { ResourceFaults, type SentResource } from './sent-resource.ts'
import type { SharedFile } from './split-body.ts'

/** Context of a deployment plan. */
export type DeployState = {
  readonly account: Account
  /** The key that deploys. */
  readonly keyId: string
  /** Current resources, with the changes planned so far. */
  readonly view: PlanView
  /** The id of a resource of the project; null if it is new. */
  readonly current: ProjectMember['physicalId'] | null
  /** Files that several checks share. */
  readonly files: readonly SharedFile[]
  /** Ids of the project's previous checks, each of which is planned or removed as well. */
  readonly own: ReadonlySet<string>
  readonly relations: Relations
  /** The id of another resource that the project sends. */
  idOf(type: string, logicalId: string): ProjectMember['physicalId'] | undefined
}

/** Plans writes of one resource type. Throws `ResourceFaults`. */
export type ResourceWriter = {
  readonly type: string
  plan(resource: SentResource, state: DeployState): Promise<PlannedResource>
  /** Plans a batch of deletions: returns a function that plans each of them. */
  removals(physicalIds: readonly ProjectMember['physicalId'][], state: Pick<DeployState, 'account' | 'own'>): PlanRemoval
}

/** Undefined if it is gone already. */
type PlanRemoval = (physicalId: ProjectMember['physicalId']) => Promise<PlannedWrite | undefined>

/** `write` is null if nothing changes. */
type PlannedResource = { readonly physicalId: ProjectMember['physicalId']; readonly isNew: boolean; readonly write: PlannedWrite | null }

/** API errors as faults of a resource; `placed` maps a pointer into its definition to one into its payload. */
export async function asFaults<T>(plan: () => T | Promise<T>, placed: (pointer: string) => string = String): Promise<T> {
  try {
    return await plan()
  } catch (problem) {
    if (!(problem instanceof ApiError)) throw problem
    const faults = problem.faults ?? [{ pointer: '', message: problem.message }]
    throw new ResourceFaults(faults.map(({ pointer, message }) => ({ pointer: placed(pointer), message })))
  }
}
