import type { FastifyInstance, FastifyRequest } from 'fastify'
import { agentLocationOf, agentScope } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import type { LocationRef } from '../../ids/location-key.ts'
import { agentNamePattern } from '../../locations/agent-name.ts'
import type { LocationDeal } from '../../locations/agent-registry.ts'
import { maxAgents } from '../../locations/location-agents.ts'
import { type AgentReport, type Assignment, canaryReports, oldestProtocol, protocolVersion } from '../../locations/protocol.ts'
import { Type } from '../../schema/typebox.ts'
import { authenticate, callerOf } from '../hooks/auth.ts'
import { fieldOf, optional } from '../input/fields.ts'
import { booleanParam, integer, oneOf, type Param, type Parsed, param, readKnownParams, readParams, text } from '../input/params.ts'
import { etagOf, matchesEtag } from '../output/etag.ts'
import { assignmentSchema, scriptBundleSchema } from '../reference/account-schemas.ts'
import type { Caller, Deps, Doc, Routes } from '../route.ts'
import { clientSignal } from '../server/client-signal.ts'
import { createKeyedSlots } from '../server/concurrency-limit.ts'

const maxWaitSeconds = 30
const tickMs = 500
/** Limits of concurrent long polls. An agent has one, and may leave another behind when its connection breaks. */
const pollSlots = { perKey: 2 * maxAgents, inAll: 10 * maxAgents }
const retryAfter = { 'retry-after': '15' }

const params = {
  protocol: { ...integer({ description: 'The protocol version of the agent.', min: 0, otherwise: 0 }), required: true },
  location: { ...text({ description: 'The location of the agent; it must be that of the key.' }), required: true },
  instance: id('The id of the agent, stable across restarts. Without it, returns all checks of the location.'),
  name: label('The display name of the agent, such as its host name.'),
  session: id('A new one on each start of the agent.'),
  version: text({ description: 'The version of the agent.' }),
  wait: integer({
    description: 'Seconds to wait for a change from If-None-Match.',
    min: 0,
    max: maxWaitSeconds,
    otherwise: 0,
  }),
  clockOffsetMs: signed('Server clock minus agent clock in milliseconds, as measured by the agent.'),
  stampsServerTime: booleanParam({ description: 'Whether results use the time of the server.', otherwise: false }),
  backlog: integer({ description: 'Number of results in the outbox of the agent.', min: 0, otherwise: 0 }),
  agentDropped: integer({ description: 'Number of results the agent dropped.', min: 0, otherwise: 0 }),
  canary: oneOf({
    description: 'Whether the agent reaches any of its canaries; absent if it has not tried.',
    choices: canaryReports,
    otherwise: null,
  }),
  canaryAgeMs: integer({
    description: 'Milliseconds since the agent started to probe them; without `wait`, used at once.',
    min: 0,
    otherwise: null,
  }),
  takesTrials: booleanParam({ description: 'Whether the agent runs trials.', otherwise: false }),
  stopping: booleanParam({ description: 'The agent stops: its checks move to other agents of the location at once.', otherwise: false }),
}
type AgentParams = Parsed<typeof params>

const doc: Doc = {
  group: 'Locations',
  summary: 'The checks of an agent',
  description: [
    'For tidemark agent, with a key of the scope agent:LOCATION, which also sets the account. Returns the settings of the checks',
    'with their secrets. Fetch scripts by bundle. With If-None-Match and wait, responds on the first change, or with 304 after that time.',
  ].join(' '),
  query: params,
  answer: { description: 'The checks that this agent runs.', schema: assignmentSchema, headers: { ETag: 'For If-None-Match.' } },
  errors: ['AGENT_ELSEWHERE', 'UNSUPPORTED_PROTOCOL', 'TOO_MANY_AGENTS', 'TOO_MANY_POLLS'],
}

const scriptsDoc: Doc = {
  group: 'Locations',
  summary: 'The scripts of a check of an agent',
  description: 'For tidemark agent. The name of a bundle is the SHA-256 of this response, so equal scripts are fetched once.',
  path: { bundle: { type: 'string', description: 'The bundle from /v1/agents/checks.' } },
  query: {},
  answer: { description: 'The files.', schema: scriptBundleSchema },
  errors: ['SCRIPTS_NOT_FOUND'],
}

export const agentRoutes: Routes = (app, { agents, catalogue }) => {
  addScripts(app, agents)
  const takePollSlot = createKeyedSlots((limit, exceeded) =>
    apiError('TOO_MANY_POLLS', { limit, which: exceeded === 'perKey' ? 'with this API key' : 'in all' }, retryAfter),
  )
  const ticking = setInterval(ticker(agents), tickMs).unref()
  app.addHook('preClose', async () => {
    clearInterval(ticking)
    agents.close()
  })
  app.get('/v1/agents/checks', { config: { access: 'agent', doc } }, async (request, reply) => {
    // Unknown parameters are ignored: a newer agent of the same protocol may send more.
    const asked = readKnownParams(params, request.query)
    const caller = callerOf(request)
    const place = placeOf(caller, asked)
    requireProtocol(asked.protocol)
    const releaseSlot = asked.wait > 0 ? takePollSlot(caller.key.hash, pollSlots) : () => {}
    const clientGone = clientSignal(reply)
    try {
      await agents.ready()
      const report = reportOf(asked)
      if (report) register(agents, place, { report, stopping: asked.stopping })
      if (report?.canary && asked.wait === 0) agents.announceCanary(place)
      const instance = report?.instance ?? null
      const released = instance === null ? () => {} : agents.hold(place, instance)
      const wait = { ifNoneMatch: request.headers['if-none-match'], waitMs: asked.wait * 1000, clientGone }
      const { body, etag } = await untilChanged(agents, place, wait, (deal) => {
        requireKeyStill(request, catalogue, asked)
        return answerOf(deal.of(instance))
      }).finally(released)
      reply.headers({ etag, 'cache-control': 'no-store' })
      if (matchesEtag(etag, wait.ifNoneMatch)) return reply.code(304).send()
      return reply.type('application/json; charset=utf-8').send(body)
    } finally {
      releaseSlot()
    }
  })
}

type Contact = { readonly report: AgentReport; readonly stopping: boolean }

function register(agents: Deps['agents'], place: LocationRef, { report, stopping }: Contact): void {
  if (stopping) agents.stop(place, report)
  else if (!agents.contact(place, report)) throw apiError('TOO_MANY_AGENTS', { limit: maxAgents, location: place.location }, retryAfter)
}

type EncodedAnswer = { readonly body: string; readonly etag: string }
const answers = new WeakMap<Assignment, EncodedAnswer>()

/** Encodes each assignment once for all requests. */
function answerOf(assignment: Assignment): EncodedAnswer {
  const known = answers.get(assignment)
  if (known) return known
  const body = JSON.stringify(assignment)
  const answer = { body, etag: etagOf(body) }
  answers.set(assignment, answer)
  return answer
}

function addScripts(app: FastifyInstance, agents: Deps['agents']): void {
  app.get('/v1/agents/scripts/:bundle', { config: { access: 'agent', doc: scriptsDoc } }, async (request, reply) => {
    readParams({}, request.query)
    await agents.ready()
    const { bundle } = request.params as { readonly bundle: string }
    const body = agents.scriptBundle(ownPlace(callerOf(request)), bundle)
    if (body === undefined) throw apiError('SCRIPTS_NOT_FOUND')
    return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(body)
  })
}

/** Skips ticks after a pause of the whole process, so that agents can report again before any of them counts as silent. */
function ticker(agents: Deps['agents']): () => void {
  let last = performance.now()
  return () => {
    const pausedMs = performance.now() - last
    last += pausedMs
    if (pausedMs < 4 * tickMs) agents.tick()
  }
}

type Wait = { readonly ifNoneMatch: string | undefined; readonly waitMs: number; readonly clientGone: AbortSignal }

/** Resolves as soon as the answer differs from the one that the client has, or after the wait. */
async function untilChanged(
  agents: Deps['agents'],
  place: LocationRef,
  { ifNoneMatch, waitMs, clientGone }: Wait,
  answerFor: (deal: LocationDeal) => EncodedAnswer,
): Promise<EncodedAnswer> {
  const end = new AbortController()
  const abort = () => end.abort()
  const timer = setTimeout(abort, waitMs)
  clientGone.addEventListener('abort', abort)
  if (clientGone.aborted) abort()
  try {
    for (;;) {
      const deal = await agents.deal(place)
      const answer = answerFor(deal)
      if (!matchesEtag(answer.etag, ifNoneMatch) || !(await agents.changed(place, deal, end.signal))) return answer
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Throws unless the agent asks for the location of its key. */
function placeOf(caller: Caller, { location: asked }: AgentParams): LocationRef {
  const place = ownPlace(caller)
  if (asked !== place.location) throw apiError('AGENT_ELSEWHERE', { location: place.location, asked: asked ?? '' })
  return place
}

export function ownPlace({ account, key }: Caller): LocationRef {
  const location = agentLocationOf(key)
  if (location === null) throw apiError('MISSING_SCOPE', { scope: agentScope('LOCATION') })
  return { account: account.id, location }
}

/** A key can be revoked while its request waits. */
function requireKeyStill({ headers }: FastifyRequest, catalogue: Deps['catalogue'], asked: AgentParams): void {
  const caller = authenticate(headers, 'agent', catalogue)
  if (caller) placeOf(caller, asked)
}

function requireProtocol(protocol: number): void {
  if (protocol >= oldestProtocol && protocol <= protocolVersion) return
  const understood = oldestProtocol === protocolVersion ? protocolVersion : `${oldestProtocol} to ${protocolVersion}`
  throw apiError('UNSUPPORTED_PROTOCOL', { protocol, understood, older: protocol > protocolVersion ? 'server' : 'agent' })
}

function reportOf({ instance, name, session, version, ...rest }: AgentParams): AgentReport | null {
  if (instance === null) return null
  const { protocol, clockOffsetMs, stampsServerTime, backlog, agentDropped, canary, canaryAgeMs, takesTrials } = rest
  const known = { protocol, clockOffsetMs, stampsServerTime, backlog, agentDropped, canary, canaryAgeMs, takesTrials }
  return { instance, name, session: session ?? '', version: version ?? '', ...known }
}

function id(description: string): Param<string | null> {
  const schema = Type.String({ pattern: idGrammar.source })
  return param(description, optional(fieldOf(schema, '1 to 128 characters from A-Z, a-z, 0-9, _ and -')))
}

function label(description: string): Param<string | null> {
  return param(description, optional(fieldOf(Type.String({ pattern: agentNamePattern }), '1 to 128 characters in one line')))
}

function signed(description: string): Param<number | null> {
  return param(description, optional(fieldOf(Type.Integer(), 'a whole number of milliseconds')))
}
