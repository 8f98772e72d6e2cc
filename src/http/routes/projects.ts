import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, apiError } from '../../errors.ts'
import { logicalIdGrammar } from '../../managed/deploy/project-head.ts'
import type { DeployOrder, RunningDeployment } from '../../managed/deploy/projects.ts'
import { callerOf } from '../hooks/auth.ts'
import { bytesOf, passBytes } from '../input/byte-body.ts'
import { booleanParam, integer, readParams } from '../input/params.ts'
import { writingOf } from '../input/write-check.ts'
import { mediaType, openEventStream } from '../live/event-stream.ts'
import { deploymentEntry, deployResult, projectEntry, unfinishedEntry } from '../output/deployment-entry.ts'
import {
  cancelDoc,
  completionDoc,
  deployDoc,
  deploymentDoc,
  destroyDoc,
  docAt,
  eventsDoc,
  listDoc,
  oldDeployDoc,
  projectDoc,
} from '../reference/project-docs.ts'
import { managedChecks, type Routes } from '../route.ts'

const deployParams = {
  dryRun: booleanParam({ description: 'Dry run: return what would change.', otherwise: false }),
  scheduleOnDeploy: booleanParam({ description: 'Ignored: new checks run at once.', otherwise: true }),
  preserveResources: booleanParam({ description: 'Keep resources that are no longer in the project.', otherwise: false }),
}
const destroyParams = { dryRun: deployParams.dryRun, preserveResources: deployParams.preserveResources }
const completionParams = {
  maxWaitSeconds: integer({ description: 'Maximum time to wait for its end.', min: 0, max: 60, otherwise: 30 }),
}
const maxDeployBytes = 8 * 2 ** 20
const stallMs = 30_000
const unused = { bodyLimit: 1024 }

/**
 * Routes for `deploy` and `destroy` of command-line clients. The POST is answered once its deployment has ended, so later requests of the
 * client find it ended.
 */
export const projectRoutes: Routes = async (app, deps) => {
  const projects = () => managedChecks(deps).projects

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: maxDeployBytes }, passBytes)
    addDeploy(scope, '/v1/projects/deploy', async (request, isDryRun) => {
      const deployment = await deploy(request)
      return isDryRun ? deployResult(deployment) : deploymentEntry(deployment)
    })
    addDeploy(scope, '/next-v2/projects/deploy', async (request) => deployResult(await deploy(request)))
  })

  async function deploy(request: FastifyRequest) {
    const { dryRun, preserveResources } = readParams(deployParams, request.query)
    const managed = projects()
    const parts = await deps.uploads.split(bytesOf(request), isCompressed(request))
    if ('problem' in parts)
      throw 'isTooLarge' in parts
        ? apiError('BODY_TOO_LARGE', { limit: parts.problem })
        : apiError('INVALID_BODY', { reason: `The body cannot be read: ${parts.problem}.` })
    return managed.deploy(parts, orderOf(request, dryRun, preserveResources))
  }

  for (const path of ['/v1/projects', '/next/projects'])
    app.get(path, { config: { access: 'read', doc: docAt(path, listDoc) } }, async (request) => {
      readParams({}, request.query)
      return projects().list(callerOf(request).account).map(projectEntry)
    })

  for (const path of ['/v1/projects/:logicalId', '/next/projects/:logicalId']) {
    app.get(path, { config: { access: 'read', doc: docAt(path, projectDoc) } }, async (request) => {
      readParams({}, request.query)
      const logicalId = logicalIdIn(request)
      return projectEntry(await projects().find(callerOf(request).account, logicalId))
    })
    app.delete(path, { ...unused, config: { access: 'write', doc: destroyDoc(destroyParams) } }, async (request) => {
      const { dryRun, preserveResources } = readParams(destroyParams, request.query)
      const logicalId = logicalIdIn(request)
      return { diff: await projects().destroy(logicalId, orderOf(request, dryRun, preserveResources)) }
    })
  }

  const deploymentPath = '/v1/projects/:logicalId/deployments/:deploymentId'
  app.get(deploymentPath, { config: { access: 'read', doc: deploymentDoc } }, async (request) => {
    readParams({}, request.query)
    return stateOf(request)
  })
  app.post(`${deploymentPath}/cancel`, { ...unused, config: { access: 'write', doc: cancelDoc } }, async (request) => {
    readParams({}, request.query)
    return stateOf(request)
  })
  app.get(`${deploymentPath}/completion`, { config: { access: 'read', doc: completionDoc(completionParams) } }, async (request) => {
    const { maxWaitSeconds } = readParams(completionParams, request.query)
    const running = runningIn(request)
    const isOver = running === null || (await isEndedWithin(running, maxWaitSeconds * 1000))
    if (!isOver) throw apiError('DEPLOYMENT_NOT_ENDED')
    return endedState(request)
  })
  app.get(`${deploymentPath}/events`, { config: { access: 'read', doc: eventsDoc } }, async (request, reply) => {
    readParams({}, request.query)
    const running = runningIn(request)
    const ended = running ? null : await endedState(request)
    if (request.method === 'HEAD') return reply.type(mediaType).send()
    const stream = openEventStream(reply, { stallMs, onStall: () => {}, onDrain: () => {}, onClose: () => {} })
    stream.write(eventOf('progress', { progress: ended ? 100 : 0 }))
    stream.write(eventOf('complete', ended ?? (running && (await stateAfter(request, running)))))
    stream.end()
  })

  /** Waits for a running deployment and returns its final state. Nothing is kept of a failed one. */
  async function stateAfter(request: FastifyRequest, running: RunningDeployment) {
    await running.ended
    return endedState(request).catch((problem) => {
      if (problem instanceof ApiError) return unfinishedEntry(logicalIdIn(request), running, 'The deployment failed. Nothing was changed.')
      throw problem
    })
  }

  function runningIn(request: FastifyRequest) {
    const logicalId = logicalIdIn(request)
    return projects().running(callerOf(request).account, logicalId, deploymentIdIn(request))
  }

  async function endedState(request: FastifyRequest) {
    const logicalId = logicalIdIn(request)
    return deploymentEntry(await projects().ended(callerOf(request).account, logicalId, deploymentIdIn(request)))
  }

  async function stateOf(request: FastifyRequest) {
    const running = runningIn(request)
    return running ? unfinishedEntry(logicalIdIn(request), running, null) : endedState(request)
  }
}

type DeployHandler = (request: FastifyRequest, isDryRun: boolean) => Promise<unknown>

function addDeploy(scope: FastifyInstance, path: string, handle: DeployHandler): void {
  const doc = path.startsWith('/v1') ? deployDoc(deployParams) : oldDeployDoc(deployParams)
  scope.post(path, { bodyLimit: maxDeployBytes, config: { access: 'write', doc } }, async (request) =>
    handle(request, readParams(deployParams, request.query).dryRun),
  )
}

function isCompressed({ headers }: FastifyRequest): boolean {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'gzip' || encoding === 'identity') return encoding === 'gzip'
  throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'plain bytes or with Content-Encoding: gzip' })
}

function orderOf(request: FastifyRequest, isDryRun: boolean, preservesResources: boolean): DeployOrder {
  const { account, author } = writingOf(request, isDryRun)
  return { account, author, isDryRun, preservesResources }
}

function logicalIdIn({ params }: FastifyRequest): string {
  const { logicalId } = params as { readonly logicalId: string }
  if (!logicalIdGrammar.test(logicalId)) throw apiError('PROJECT_NOT_FOUND')
  return logicalId
}

const deploymentIdIn = ({ params }: FastifyRequest) => (params as { readonly deploymentId: string }).deploymentId

async function isEndedWithin({ ended }: RunningDeployment, ms: number): Promise<boolean> {
  const waiting = new AbortController()
  try {
    const timeout = delay(ms, false, { signal: waiting.signal }).catch(() => false)
    return await Promise.race([ended.then(() => true), timeout])
  } finally {
    waiting.abort()
  }
}

const eventOf = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
