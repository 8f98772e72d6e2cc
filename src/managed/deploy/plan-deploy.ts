import type { Account } from '../../catalogue/catalogue.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import { cycleOf } from '../../catalogue/managed/references.ts'
import { withChanges } from '../../catalogue/managed/resources.ts'
import { createTimedTurns } from '../../concurrency/turns.ts'
import { apiError } from '../../errors.ts'
import { checkKind } from '../managed-document.ts'
import type { PlanView } from '../plan-checks.ts'
import { plannedResource } from '../resources/managed-resources.ts'
import type { PlannedWrite } from '../writing.ts'
import { createProjectFaults, type FaultyResource } from './project-faults.ts'
import { memberKey, type ProjectDefinition, type ProjectMember } from './project-kind.ts'
import { readResources } from './read-resources.ts'
import type { ResourceWriter } from './resource-writer.ts'
import { ResourceFaults } from './sent-resource.ts'
import type { DeployParts } from './split-body.ts'

export type DeployPlan = Pick<ProjectDefinition, 'members'> &
  Pick<ProjectDefinition['deployment'], 'created' | 'removed'> & { readonly writes: readonly PlannedWrite[] }

type PlanContext = {
  readonly account: Account
  readonly keyId: string
  readonly view: PlanView
  readonly now: number
  /** In dependency order. */
  readonly writers: readonly ResourceWriter[]
  /** Whether resources that left the project are kept. */
  readonly preservesResources: boolean
}

type Sent = Pick<DeployParts, 'resources' | 'files'>

/** The size limit of all checks of an account. */
const maxWriteLength = 64 * 2 ** 20

/** Plans a deployment. Throws with the faults of all resources. */
export async function planDeploy(
  { resources, files }: Sent,
  before: readonly ProjectMember[],
  { account, keyId, now, writers, preservesResources, view: present }: PlanContext,
): Promise<DeployPlan> {
  const faults = createProjectFaults()
  const pause = createTimedTurns()
  const isSupported = (type: string) => writers.some((writer) => writer.type === type)
  const sent = await readResources(resources, { isSupported, faults, pause })
  const earlier = new Map(before.map((member) => [memberKey(member), member.physicalId]))
  const isSent = new Set(writers.flatMap(({ type }) => sent.ofType(type)).map(({ resource }) => memberKey(resource)))
  const gone = before.filter((member) => !isSent.has(memberKey(member)))
  const own = checkIds(preservesResources ? before.filter((member) => isSent.has(memberKey(member))) : before)
  const ids = new Map(sent.others)
  const members: ProjectMember[] = []
  const created: number[] = []
  const writes: PlannedWrite[] = []
  const removals: PlannedWrite[] = []
  /** Checks whose dependencies changed. */
  const dependents: { readonly place: FaultyResource; readonly check: CheckDefinition }[] = []
  let length = 0
  if (!preservesResources) await planRemovals()
  let view = preservesResources ? present : viewWith(viewWithout(present, gone), removals, now)

  for (const writer of writers) {
    const first = writes.length
    for (const { resource, ...place } of sent.ofType(writer.type)) {
      const { type, logicalId } = resource
      await faults.collect(place, async () => {
        const current = earlier.get(memberKey(resource)) ?? null
        const relations = sent.relations.of(resource)
        const { physicalId, isNew, write } = await writer.plan(resource, { account, keyId, view, current, files, own, relations, idOf })
        ids.set(memberKey(resource), physicalId)
        if (isNew) created.push(members.length)
        members.push({ type, logicalId, physicalId })
        if (write) addTo(writes, write)
        if (write?.check && write.judge) dependents.push({ place, check: write.check })
      })
      await pause()
    }
    view = viewWith(view, writes.slice(first), now)
  }

  await judgeCycles()
  faults.throwAny()
  const action = preservesResources ? 'DETACHED' : 'DELETE'
  return { members, created, removed: gone.map((member) => ({ ...member, action })), writes: [...writes, ...removals] }

  function idOf(type: string, logicalId: string): ProjectMember['physicalId'] | undefined {
    return ids.get(memberKey({ type, logicalId }))
  }

  /** Stops collecting beyond the size limit. */
  function addTo(planned: PlannedWrite[], write: PlannedWrite): void {
    length += write.change.body?.length ?? 0
    if (length > maxWriteLength) throw apiError('BODY_TOO_LARGE', { limit: `${maxWriteLength} characters of definitions` })
    planned.push(write)
  }

  /** Each was validated against the current checks; together they may form a cycle. */
  async function judgeCycles(): Promise<void> {
    const planned = new Map(dependents.map(({ check }) => [check.id, check]))
    const after = { check: (owner: string, id: string) => planned.get(id) ?? view.catalogue.check(owner, id) }
    for (const { place, check } of dependents) {
      await faults.collect(place, async () => {
        const cycle = cycleOf(check, after)
        if (cycle)
          throw new ResourceFaults([{ pointer: '', message: `these checks depend on each other: ${cycle.slice(0, 5).join(', ')}` }])
      })
      await pause()
    }
  }

  /** In reverse dependency order. */
  async function planRemovals(): Promise<void> {
    for (const writer of writers.toReversed()) {
      const some = gone.filter((member) => member.type === writer.type)
      if (some.length === 0) continue
      const planRemoval = writer.removals(
        some.map(({ physicalId }) => physicalId),
        { account, own },
      )
      for (const { type, logicalId, physicalId } of some) {
        await faults.collect({ index: null, name: `${type} ${logicalId}` }, async () => {
          const write = await planRemoval(physicalId)
          if (write) addTo(removals, write)
        })
        await pause()
      }
    }
  }
}

function viewWith(view: PlanView, planned: readonly PlannedWrite[], now: number): PlanView {
  const changes = planned.filter(({ change }) => change.kind !== checkKind).map((write) => plannedResource(write, now))
  return changes.length === 0 ? view : { ...view, resources: withChanges(view.resources, changes) }
}

/** The checks of one account without removed ones, which no remaining check may depend on. */
function viewWithout({ catalogue, resources }: PlanView, gone: readonly ProjectMember[]): PlanView {
  const ids = checkIds(gone)
  const check: PlanView['catalogue']['check'] = (account, id) => (ids.has(id) ? undefined : catalogue.check(account, id))
  return { catalogue: { ...catalogue, check }, resources }
}

function checkIds(members: readonly ProjectMember[]): ReadonlySet<string> {
  return new Set(members.filter(({ type }) => type === checkKind).map(({ physicalId }) => String(physicalId)))
}
