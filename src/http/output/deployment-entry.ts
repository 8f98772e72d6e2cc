import type { Deployment, Project, RunningDeployment } from '../../managed/deploy/projects.ts'
import { isoText } from '../../time.ts'

export function projectEntry({ id, logicalId, name, repoUrl, createdAt, updatedAt }: Project) {
  const [created, updated] = [isoText(createdAt), isoText(updatedAt)]
  return { id, logicalId, name, repoUrl, createdAt: created, updatedAt: updated, created_at: created, updated_at: updated }
}

export function deployResult({ project, changes }: Pick<Deployment, 'project' | 'changes'>) {
  return { project: projectEntry(project), diff: changes }
}

const always = { dryRun: false, cancelRequestedAt: null }

export function deploymentEntry(deployment: Deployment) {
  const { id, project, startedAt, endedAt } = deployment
  const times = { createdAt: isoText(startedAt), startedAt: isoText(startedAt), endedAt: isoText(endedAt) }
  const { logicalId } = project
  return { id, logicalId, status: 'SUCCEEDED', progress: 100, error: null, result: deployResult(deployment), ...times, ...always }
}

/** `error` is null while the deployment runs. */
export function unfinishedEntry(logicalId: string, { id, startedAt }: RunningDeployment, error: string | null) {
  const times = { createdAt: isoText(startedAt), startedAt: isoText(startedAt), endedAt: null }
  const [status, problem] = error === null ? ['RUNNING', null] : ['FAILED', { code: 'DEPLOYMENT_FAILED', message: error }]
  return { id, logicalId, status, progress: 0, error: problem, result: null, ...times, ...always }
}
