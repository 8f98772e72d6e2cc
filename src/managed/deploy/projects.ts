import { randomUUID } from 'node:crypto'
import type { Account } from '../../catalogue/catalogue.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes as registry } from '../../checks/registry.ts'
import { ApiError, apiError } from '../../errors.ts'
import { type Author, documentKey } from '../../store/documents/document-log.ts'
import type { Documents } from '../../store/documents/documents.ts'
import { fieldChanges } from '../field-changes.ts'
import { documentText } from '../managed-document.ts'
import type { PlanView } from '../plan-checks.ts'
import type { PlannedWriter } from '../write-planned.ts'
import type { PlannedWrite } from '../writing.ts'
import { type AllPlans, createCheckWriter } from './check-writer.ts'
import { createDeployTurns } from './deploy-turns.ts'
import { createGroupWriter, type GroupWriterOptions } from './group-writer.ts'
import { type DeployPlan, planDeploy } from './plan-deploy.ts'
import { createPolicyWriters, type PolicyWriterOptions } from './policy-writers.ts'
import { type DeployedChange, deployedChanges, type ProjectDefinition, projectIn, projectKind } from './project-kind.ts'
import type { DeployParts } from './split-body.ts'

const { maxLength } = projectKind
/** Retries after a conflict with another writer. */
const maxTries = 5

export type Project = Pick<ProjectDefinition, 'id' | 'name' | 'repoUrl'> & {
  readonly logicalId: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** A completed deployment, or the outcome of a dry run. */
export type Deployment = {
  readonly id: string
  readonly project: Project
  readonly changes: readonly DeployedChange[]
  readonly startedAt: number
  readonly endedAt: number
}

export type RunningDeployment = { readonly id: string; readonly startedAt: number; readonly ended: Promise<unknown> }

export type DeployOrder = {
  readonly account: Account
  readonly author: Author
  readonly isDryRun: boolean
  readonly preservesResources: boolean
}

type ProjectsOptions = GroupWriterOptions &
  Pick<PolicyWriterOptions, 'env'> & {
    readonly documents: Documents
    readonly plans: AllPlans
    readonly writer: PlannedWriter
    readonly view: PlanView
    readonly now: () => number
    readonly checkTypes?: readonly CheckType[] | undefined
    /** Resolves once checks reflect the written resources. */
    readonly settled: () => Promise<void>
  }

/** Projects of command-line clients: a deployment writes all resources at once, and deletes those it no longer contains. */
export function createProjects(options: ProjectsOptions) {
  const { documents, plans, writer, view, now, checkTypes = registry, settled, vault } = options
  const running = new Map<string, RunningDeployment>()
  const inTurn = createDeployTurns()
  const { catalogue } = view
  const writers = [
    ...createPolicyWriters({ ...options, catalogue }),
    createGroupWriter(options),
    createCheckWriter({ documents, plans, checkTypes, vault }),
  ]
  const refOf = ({ id }: Pick<Account, 'id'>, logicalId: string) => ({ kind: projectKind.kind, account: id, id: logicalId })
  const find = (account: Account, logicalId: string) => view.resources.find(refOf(account, logicalId))
  const wholeNow = () => Math.floor(now())

  /** One deployment per project at a time; a second one is rejected with the id of the first. */
  async function alone<T>({ account, isDryRun }: DeployOrder, logicalId: string, act: (id: string) => Promise<T>): Promise<T> {
    const id = randomUUID()
    if (isDryRun) return inTurn(account.id, () => act(id))
    const key = documentKey(refOf(account, logicalId))
    const other = running.get(key)
    if (other) throw new ApiError('DEPLOYMENT_UNDER_WAY', apiError('DEPLOYMENT_UNDER_WAY').message, {}, null, { deploymentId: other.id })
    const acting = inTurn(account.id, () => act(id))
    running.set(key, { id, startedAt: wholeNow(), ended: acting.catch(() => {}) })
    try {
      return await acting
    } finally {
      running.delete(key)
    }
  }

  /** Plans and writes, with retries on conflicts. */
  async function untilWritten<T>(attempt: () => Promise<T | null>): Promise<T> {
    for (let tries = 0; tries < maxTries; tries++) {
      await documents.refresh()
      const made = await attempt()
      if (made !== null) return made
    }
    throw apiError('DEPLOYMENT_CONFLICT')
  }

  const plan = (sent: Parameters<typeof planDeploy>[0], before: ProjectDefinition | null, order: DeployOrder) => {
    const { account, author, preservesResources } = order
    const { keyId } = author
    return planDeploy(sent, before?.members ?? [], { account, keyId, view, now: wholeNow(), writers, preservesResources })
  }

  async function attemptDeploy(id: string, request: DeployParts, order: DeployOrder): Promise<Deployment | null> {
    const { account, author, isDryRun } = order
    const { logicalId } = request.project
    const startedAt = wholeNow()
    const stored = find(account, logicalId)
    const before = stored ? projectIn(stored) : null
    const planned = await plan(request, before, order)
    const definition = definitionOf(request, before, { plan: planned, id, startedAt })
    if (before && stored && isUnchanged(planned, definition, before)) return { ...unchanged(stored), startedAt, endedAt: wholeNow() }
    const createdAt = stored?.createdAt ?? startedAt
    const body = documentText({ definition, createdAt })
    if (body.length > maxLength) throw apiError('BODY_TOO_LARGE', { limit: `${maxLength} characters of logical ids` })
    const version = stored?.version ?? (await documents.recall(refOf(account, logicalId)))?.version ?? 0
    const changes = changesBetween(before, definition)
    const change = {
      ...refOf(account, logicalId),
      expected: version,
      action: before ? 'update' : 'create',
      changes: JSON.stringify(changes),
      body,
    } as const
    const writes: readonly PlannedWrite[] = [...planned.writes, { check: null, changes, change, judge: null }]
    writer.requireRoomForAll(writes)
    if (!isDryRun && !(await writer.write(author, writes))) return null
    await settled()
    const endedAt = wholeNow()
    const project = viewOf({ id: logicalId, definition, createdAt, updatedAt: endedAt })
    return { id, project, changes: deployedChanges(definition), startedAt, endedAt }
  }

  async function attemptDestroy(logicalId: string, order: DeployOrder): Promise<readonly DeployedChange[] | null> {
    const { account, author, isDryRun } = order
    const stored = find(account, logicalId)
    if (!stored) return []
    const { removed, writes } = await plan({ resources: [], files: [] }, projectIn(stored), order)
    const change = { ...refOf(account, logicalId), expected: stored.version, action: 'delete', changes: '[]', body: null } as const
    return isDryRun || (await writer.write(author, [...writes, { check: null, changes: [], change, judge: null }])) ? removed : null
  }

  /** Reads what other processes wrote if no project known here matches. */
  async function findAnywhere(
    account: Account,
    logicalId: string,
    isIt: (project: ProjectDefinition) => boolean,
  ): Promise<ManagedResource | null> {
    for (const refresh of [async () => {}, documents.refresh]) {
      await refresh()
      const stored = find(account, logicalId)
      if (stored && isIt(projectIn(stored))) return stored
    }
    return null
  }

  return {
    /** Replaces the resources of a project atomically. */
    deploy(request: DeployParts, order: DeployOrder): Promise<Deployment> {
      return alone(order, request.project.logicalId, (id) => untilWritten(() => attemptDeploy(id, request, order)))
    },

    /** Deletes a project with its resources; a no-op if there is none. */
    destroy(logicalId: string, order: DeployOrder): Promise<readonly DeployedChange[]> {
      return alone(order, logicalId, () => untilWritten(() => attemptDestroy(logicalId, order)))
    },

    list: (account: Account): readonly Project[] => view.resources.list(projectKind.kind, account.id).map(viewOf),

    async find(account: Account, logicalId: string): Promise<Project> {
      const found = await findAnywhere(account, logicalId, () => true)
      if (!found) throw apiError('PROJECT_NOT_FOUND')
      return viewOf(found)
    },

    running(account: Account, logicalId: string, id: string): RunningDeployment | null {
      const found = running.get(documentKey(refOf(account, logicalId)))
      return found?.id === id ? found : null
    },

    /** The last deployment that changed something, or a no-op deployment. */
    async ended(account: Account, logicalId: string, id: string): Promise<Deployment> {
      const found = await findAnywhere(account, logicalId, (project) => project.deployment.id === id || unchangedId(project) === id)
      if (!found) throw apiError('DEPLOYMENT_NOT_FOUND')
      const definition = projectIn(found)
      const times = { startedAt: definition.deployment.startedAt, endedAt: found.updatedAt }
      return unchangedId(definition) === id
        ? { ...unchanged(found), ...times }
        : { id, project: viewOf(found), changes: deployedChanges(definition), ...times }
    },
  }
}

function viewOf(stored: Pick<ManagedResource, 'id' | 'definition' | 'createdAt' | 'updatedAt'>): Project {
  const { id, name, repoUrl } = projectIn(stored)
  return { id, logicalId: stored.id, name, repoUrl, createdAt: stored.createdAt, updatedAt: stored.updatedAt }
}

type Planned = { readonly plan: DeployPlan; readonly id: string; readonly startedAt: number }

function definitionOf({ project }: DeployParts, before: ProjectDefinition | null, { plan, id, startedAt }: Planned): ProjectDefinition {
  const { name, repoUrl } = project
  const { members, created, removed } = plan
  return { id: before?.id ?? randomUUID(), name, repoUrl, members, deployment: { id, startedAt, created, removed } }
}

function isUnchanged({ writes, created, removed }: DeployPlan, after: ProjectDefinition, before: ProjectDefinition): boolean {
  return writes.length + created.length + removed.length === 0 && after.name === before.name && after.repoUrl === before.repoUrl
}

/** A no-op deployment is not stored: its id is derived from the id of the project. */
const unchangedId = ({ id }: ProjectDefinition) => `unchanged-${id}`

function unchanged(stored: ManagedResource): Pick<Deployment, 'id' | 'project' | 'changes'> {
  const project = projectIn(stored)
  const changes = deployedChanges({ members: project.members, deployment: { created: [], removed: [] } })
  return { id: unchangedId(project), project: viewOf(stored), changes }
}

/** For the audit log. */
function changesBetween(before: ProjectDefinition | null, after: ProjectDefinition) {
  const [old, next] = [before && shownProject(before), shownProject(after)]
  return fieldChanges(old && { value: old, shown: old }, { value: next, shown: next })
}

function shownProject({ name, repoUrl, members }: ProjectDefinition) {
  const resources = Object.fromEntries(members.map(({ type, logicalId, physicalId }) => [`${type} ${logicalId}`, physicalId]))
  return { name, repoUrl, resources }
}
