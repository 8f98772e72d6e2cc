import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { AlertService } from '../alerts/loop/alert-service.ts'
import type { AlertReplay } from '../alerts/replay/replay-in-thread.ts'
import type { Account, Catalogue, Key } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import type { Env } from '../config.ts'
import { apiError, type ErrorCode } from '../errors.ts'
import type { Cardinality } from '../ingest/cardinality.ts'
import type { EvidenceDecoder } from '../ingest/decode-evidence.ts'
import type { TriedByAgent } from '../ingest/trial-answer.ts'
import type { AgentRegistry } from '../locations/agent-registry.ts'
import type { AgentTrials } from '../locations/agent-trials.ts'
import type { UploadReader } from '../managed/deploy/read-uploads.ts'
import type { ManagedChecks } from '../managed/managed-checks.ts'
import type { TrialRuns } from '../runner/trial-runs.ts'
import type { ServerStats } from '../stats/server-stats.ts'
import type { Store } from '../store/store.ts'
import type { Headers } from './hooks/reply-headers.ts'
import type { Params } from './input/params.ts'
import type { EarlyHandler } from './server/before-router.ts'
import type { BasePath } from './server/request-head.ts'

export type Clock = { readonly now: () => number }

export type Deps = {
  readonly catalogue: Catalogue
  readonly store: Store
  readonly clock: Clock
  readonly log: FastifyBaseLogger
  readonly checkTypes: readonly CheckType[]
  readonly cardinality: Cardinality
  readonly basePath: BasePath
  readonly stats: ServerStats
  readonly agents: AgentRegistry
  readonly decodeEvidence: EvidenceDecoder
  readonly uploads: UploadReader
  /** Whether this process runs the checks of a location, unless agents run them. */
  readonly runsHere: (location: string) => boolean
  /** Null if this process sends no alerts. */
  readonly alerts: AlertService | null
  readonly replayAlerts: AlertReplay
  /** Null if this process keeps no managed checks. */
  readonly managed: ManagedChecks | null
  /** Runs definitions that are not stored, with these variables; null if this process runs no checks. */
  readonly trials: { readonly run: TrialRuns; readonly env: Env } | null
  /** Runs definitions that are not stored at agents. */
  readonly agentTrials: AgentTrials<TriedByAgent>
  /** For answers that are cheaper than the framework's overhead. */
  readonly answerEarly: (handler: EarlyHandler) => void
  /** The credentials for a one-time code; absent if the server issues none. */
  readonly signIn?: (code: string) => Credentials | undefined
}

export type Credentials = { readonly key: string; readonly account: string }

/**
 * Each file of routes exports one of these, and app.ts calls it. A route declares its access and its documentation:
 * `app.get(path, { config: { access: 'read', doc: {…} } }, handler)`.
 */
export type Routes = (app: FastifyInstance, deps: Deps) => void | Promise<void>

/**
 * `open`: anyone.
 * `key`: any key.
 * `read`, `ingest`, `operate`, `write`: a key with that scope, or admin.
 * `metrics`: a key with that scope, or admin. The key determines the account. The route exists only if the config file has a key with that
 * scope.
 * `agent`: a key of agents, which determines the account. Such a key may also send results, and nothing else.
 * `optional`: anonymous, or a key with the scope `read`; the handler decides what anonymous callers get.
 */
export type Access = 'open' | 'optional' | 'read' | 'ingest' | 'operate' | 'write' | 'metrics' | 'agent' | 'key'

export type Caller = { readonly account: Account; readonly key: Key }

export type Doc = {
  readonly group: string
  readonly summary: string
  readonly description?: string
  readonly query?: Params
  readonly path?: Readonly<Record<string, Schema>>
  readonly body?: Content
  readonly answer: Content
  /** The 200 answer to `dryRun=true`, if `answer` has another status. */
  readonly dryRun?: Content
  /** In addition to the errors that every route of this access has. */
  readonly errors?: readonly ErrorCode[]
}
export type Content = {
  /** 200 if absent. */
  readonly status?: 201 | 204
  readonly description: string
  readonly mediaType?: string
  readonly schema?: Schema
  readonly example?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Other media types of the answer, documented as text. */
  readonly otherTypes?: readonly string[]
}
/** Errors of a route that ignores its body: Fastify parses it anyway. */
export const unusedBodyErrors = ['INVALID_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const satisfies readonly ErrorCode[]
/** The media type of answers that never end. */
export const eventStreamType = 'text/event-stream'
export type Schema = Readonly<Record<string, unknown>>

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    doc?: Doc
    /** Headers of its answers; they extend or override those of every answer. */
    headers?: Headers
  }
  interface FastifyRequest {
    caller: Caller | null
    /** By the monotonic clock. */
    receivedAt: number
  }
}

/** Throws if this process sends no alerts. */
export function runningAlerts({ alerts }: Pick<Deps, 'alerts'>): AlertService {
  if (!alerts) throw apiError('ALERTS_OFF', {}, { 'retry-after': '60' })
  return alerts
}

/** Throws if this process keeps no managed checks. */
export function managedChecks({ managed }: Pick<Deps, 'managed'>): ManagedChecks {
  if (!managed) throw apiError('MANAGED_OFF', {}, { 'retry-after': '60' })
  return managed
}
