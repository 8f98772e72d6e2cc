import compress from '@fastify/compress'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { noHistory } from '../alerts/outbox/alert-history.ts'
import { replayDeadline, replayReport } from '../alerts/replay/replay-report.ts'
import { checkTypes } from '../checks/registry.ts'
import { createCardinality } from '../ingest/cardinality.ts'
import { decodeWithinBudget, type EvidenceDecoder } from '../ingest/decode-evidence.ts'
import { createAgentRegistry } from '../locations/agent-registry.ts'
import { createAgentTrials } from '../locations/agent-trials.ts'
import { inlineUploads } from '../managed/deploy/read-uploads.ts'
import { trialTimeoutOf } from '../runner/trial-runs.ts'
import { createServerStats } from '../stats/server-stats.ts'
import { installConnectionLimits } from './hooks/connection-limits.ts'
import { installErrorReplies, maxHeadBytes, maxUrlLength, replyToBrokenRequest, replyToUnroutable } from './hooks/error-replies.ts'
import { installGracefulClose, watchClosing } from './hooks/graceful-close.ts'
import { collectPaths } from './hooks/methods.ts'
import { createRateLimit } from './hooks/rate-limit.ts'
import { installRequestGuard, installResponseGuard } from './hooks/request-guard.ts'
import { installRequestLog } from './hooks/request-log.ts'
import { parseQueryString } from './input/params.ts'
import { collectReference } from './reference/openapi.ts'
import type { Deps, Routes } from './route.ts'
import { accountRoutes } from './routes/account.ts'
import { acknowledgeLinkRoutes } from './routes/acknowledge-link.ts'
import { agentTrialRoutes } from './routes/agent-trials.ts'
import { agentRoutes } from './routes/agents.ts'
import { alertChannelRoutes } from './routes/alert-channels.ts'
import { alertRuleRoutes } from './routes/alert-rules.ts'
import { alertRoutes } from './routes/alerts.ts'
import { analyticsRoutes } from './routes/analytics.ts'
import { summaryRoutes } from './routes/analytics-summary.ts'
import { auditRoutes } from './routes/audit.ts'
import { badgeRoutes } from './routes/badges.ts'
import { channelSubscriptionRoutes } from './routes/channel-subscriptions.ts'
import { checkAlertRoutes } from './routes/check-alerts.ts'
import { checkGroupRoutes } from './routes/check-groups.ts'
import { checkResultRoutes } from './routes/check-results.ts'
import { checkStatusRoutes } from './routes/check-statuses.ts'
import { checkTypeRoutes, metricsListRoutes } from './routes/check-types.ts'
import { checkVersionRoutes } from './routes/check-versions.ts'
import { checkRoutes } from './routes/checks.ts'
import { codeBundleRoutes } from './routes/code-bundles.ts'
import { deletedCheckRoutes } from './routes/deleted-checks.ts'
import { editorSchemaRoutes } from './routes/editor-schema.ts'
import { exportRoutes } from './routes/export.ts'
import { failureRoutes } from './routes/failures.ts'
import { faultyCheckRoutes } from './routes/faulty-checks.ts'
import { healthRoutes } from './routes/health.ts'
import { ingestRoutes } from './routes/ingest.ts'
import { locationRoutes } from './routes/locations.ts'
import { maintenanceRoutes } from './routes/maintenance.ts'
import { maintenanceWindowRoutes } from './routes/maintenance-windows.ts'
import { managedCheckRoutes } from './routes/managed-checks.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { oneResultRoutes } from './routes/one-result.ts'
import { outageRoutes } from './routes/outages.ts'
import { pageRoutes } from './routes/page.ts'
import { pingRoutes } from './routes/pings.ts'
import { policyDefinitionRoutes } from './routes/policy-definitions.ts'
import { privateLocationRoutes } from './routes/private-locations.ts'
import { projectRoutes } from './routes/projects.ts'
import { queryRoutes } from './routes/query.ts'
import { referenceRoutes } from './routes/reference.ts'
import { resultStreamRoutes } from './routes/result-stream.ts'
import { silenceRoutes } from './routes/silences.ts'
import { sloRoutes } from './routes/slos.ts'
import { tryCheckRoutes } from './routes/try-check.ts'
import { variableRoutes } from './routes/variables.ts'
import { type EarlyHandler, installEarlyHandlers } from './server/before-router.ts'
import { answerPlainPosts } from './server/plain-posts.ts'
import { routeLinkedPost, withoutBasePath, withoutLinkToken } from './server/request-head.ts'

const routes: readonly Routes[] = [
  analyticsRoutes,
  metricsListRoutes,
  summaryRoutes,
  queryRoutes,
  outageRoutes,
  failureRoutes,
  sloRoutes,
  maintenanceRoutes,
  maintenanceWindowRoutes,
  policyDefinitionRoutes,
  checkRoutes,
  managedCheckRoutes,
  checkVersionRoutes,
  checkGroupRoutes,
  variableRoutes,
  auditRoutes,
  deletedCheckRoutes,
  faultyCheckRoutes,
  projectRoutes,
  codeBundleRoutes,
  tryCheckRoutes,
  checkStatusRoutes,
  checkResultRoutes,
  oneResultRoutes,
  resultStreamRoutes,
  ingestRoutes,
  exportRoutes,
  agentRoutes,
  agentTrialRoutes,
  locationRoutes,
  privateLocationRoutes,
  pingRoutes,
  checkTypeRoutes,
  accountRoutes,
  alertRuleRoutes,
  alertRoutes,
  silenceRoutes,
  checkAlertRoutes,
  alertChannelRoutes,
  channelSubscriptionRoutes,
  acknowledgeLinkRoutes,
  editorSchemaRoutes,
  pageRoutes,
  badgeRoutes,
  healthRoutes,
  metricsRoutes,
]

const pathOptions = { ignoreTrailingSlash: true, maxParamLength: maxUrlLength }

type Optional =
  | 'answerEarly'
  | 'checkTypes'
  | 'cardinality'
  | 'basePath'
  | 'stats'
  | 'agents'
  | 'decodeEvidence'
  | 'uploads'
  | 'runsHere'
  | 'alerts'
  | 'replayAlerts'
  | 'managed'
  | 'trials'
  | 'agentTrials'

type AppOptions = Omit<Deps, Optional> & Partial<Pick<Deps, Optional>> & { readonly configFile?: string }

/** Decodes in this thread, for tests. */
const decodeInline: EvidenceDecoder = async (jobs) => decodeWithinBudget(jobs)

/** Does not listen yet. */
export async function buildApp({ configFile = 'tidemark.yaml', ...given }: AppOptions): Promise<FastifyInstance> {
  const { store, catalogue, clock, log } = given
  const agents = createAgentRegistry({ catalogue, now: clock.now, log, configFile })
  const cardinality = createCardinality({ store, limits: () => catalogue.service().limits })
  const earlyHandlers: EarlyHandler[] = []
  const answerEarly = (handler: EarlyHandler) => void earlyHandlers.push(handler)
  const deps: Deps = {
    answerEarly,
    checkTypes,
    cardinality,
    agents,
    decodeEvidence: decodeInline,
    uploads: inlineUploads,
    runsHere: () => true,
    alerts: null,
    managed: null,
    trials: null,
    agentTrials: createAgentTrials(given.agents ?? agents, trialTimeoutOf),
    replayAlerts: (question) => replayReport(question, { store, history: () => noHistory }, replayDeadline()),
    basePath: '',
    stats: createServerStats(),
    ...given,
  }
  const app = createServer(deps)
  const findPath = collectPaths(app, pathOptions)
  const reference = collectReference(app, deps.basePath)
  const closing = watchClosing(app)
  const countRequest = createRateLimit(deps)
  installErrorReplies(app)
  await app.register(compress, { globalDecompression: false, encodings: ['br', 'gzip'] })
  installRequestGuard(app, deps, { findPath, countRequest })
  installResponseGuard(app, deps, closing)
  for (const addTo of routes) await addTo(app, deps)
  referenceRoutes(app, reference, deps.basePath)
  installEarlyHandlers(app, { handlers: [answerPlainPosts(deps, countRequest), ...earlyHandlers], basePath: deps.basePath, closing })
  installRequestLog(app, deps)
  installGracefulClose(app)
  installConnectionLimits(app, deps)
  return app
}

function createServer({ log, basePath, catalogue }: Deps): FastifyInstance {
  const app = fastify({
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    rewriteUrl(request) {
      const url = withoutLinkToken(request, withoutBasePath(request.url ?? '/', basePath))
      routeLinkedPost(request, catalogue)
      return url
    },
    childLoggerFactory: () => log,
    http: { maxHeaderSize: maxHeadBytes, headersTimeout: 15_000, requireHostHeader: false },
    requestTimeout: 60_000,
    connectionTimeout: 120_000,
    bodyLimit: 1_048_576,
    routerOptions: { ...pathOptions, querystringParser: parseQueryString },
    frameworkErrors: replyToUnroutable,
    clientErrorHandler: replyToBrokenRequest,
  })
  app.removeContentTypeParser('text/plain')
  acceptEmptyJson(app)
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  answerHalfClosed(app)
  return app
}

/** Keeps Fastify from loading its schema compilers, which take longer to load than Fastify itself. */
function noSchemas(): never {
  throw new Error('Routes have no schemas of Fastify.')
}

/** Go clients declare JSON on every request, even on a DELETE without a body. An empty body counts as none. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else parse(request, body, done)
  })
}

/** By default Node drops the answer to a client that has closed its sending side. The option is Node's, but missing in its types. */
function answerHalfClosed({ server }: FastifyInstance): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}
