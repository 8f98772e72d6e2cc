import type { Readable } from 'node:stream'
import type { FastifyRequest, HTTPMethods } from 'fastify'
import type { Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import { type Ping, type PingKind, receivePing } from '../../ingest/ping.ts'
import { readPingBody } from '../../ingest/ping-body.ts'
import { createStartedRuns } from '../../ingest/started-runs.ts'
import type { Deps, Doc, Routes } from '../route.ts'

/** The ping in an address and its query string; null where it is none. */
type Said = (request: FastifyRequest) => Ping | 'started' | 'logged' | null

type PingPath = {
  readonly url: string
  readonly said: Said
  readonly summary: string
  readonly answer: string
  readonly methods?: HTTPMethods[]
}

const ping = (kind: PingKind, more: Partial<Ping> = {}): Ping => ({ kind, error: null, durationMs: null, note: '', ...more })

/** Those of Healthchecks, and that of Uptime Kuma. */
const paths: readonly PingPath[] = [
  { url: '/ping/:token', said: () => ping('alive'), summary: 'Say that a job is alive', answer: 'OK' },
  { url: '/ping/:token/start', said: () => 'started', summary: 'Say that a job begins, so that its run time is known', answer: 'OK' },
  { url: '/ping/:token/fail', said: () => ping('failed'), summary: 'Say that a job has failed', answer: 'OK' },
  { url: '/ping/:token/log', said: () => 'logged', summary: 'Accepted for Healthchecks clients; nothing is kept', answer: 'OK' },
  { url: '/ping/:token/:exitCode', said: byExitCode, summary: 'Say with which exit code a job has ended', answer: 'OK' },
  {
    url: '/api/push/:token',
    said: byPush,
    summary: 'Say that a job is up or down, as to Uptime Kuma',
    answer: '{"ok":true}',
    methods: ['GET', 'POST', 'HEAD', 'PUT', 'PATCH'],
  },
]

/** Jobs report here that they are alive. The token is the only credential. */
export const pingRoutes: Routes = async (app, deps) => {
  const { catalogue, store, clock } = deps
  const started = createStartedRuns()
  const checkOf = (request: FastifyRequest): Check => {
    const check = catalogue.checkByPingToken(sha256(paramOf(request, 'token')))
    if (!check) throw apiError('PING_NOT_FOUND')
    return check
  }
  async function take(request: FastifyRequest, said: ReturnType<Said>): Promise<void> {
    const [check, now, runId] = [checkOf(request), clock.now(), queryText(request, 'rid')]
    if (said === null) throw apiError('PING_NOT_FOUND')
    if (said === 'started') started.start(check, runId, now)
    if (said === 'started' || said === 'logged') return
    const body = typeof request.body === 'string' ? request.body : ''
    const durationMs = said.durationMs ?? started.end(check, runId, now)
    const rules = evidenceRules(deps)
    await receivePing(store, check, { ...said, durationMs, now, body, token: paramOf(request, 'token'), rules })
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_: FastifyRequest, body: Readable) => readPingBody(body))
    for (const { url, said, answer, methods = ['GET', 'POST', 'HEAD'], ...described } of paths) {
      scope.route({
        method: methods,
        url,
        exposeHeadRoute: false,
        config: { access: 'open', doc: doc({ url, answer, ...described }) },
        // Before the body: whoever has no token may not make us read one.
        onRequest: async (request) => void checkOf(request),
        handler: async (request, reply) => {
          await take(request, said(request))
          return reply.type(mediaTypeOf(answer)).header('cache-control', 'no-store').send(answer)
        },
      })
    }
  })
}

const paramOf = ({ params }: FastifyRequest, name: string) => String((params as Readonly<Record<string, string>>)[name] ?? '')

const mediaTypeOf = (answer: string) => (answer.startsWith('{') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')

const queryValues = ({ query }: FastifyRequest, name: string) => (query as Readonly<Record<string, readonly string[]>>)[name] ?? []

/** The beginning of a parameter; empty where it is given twice or not at all. */
function queryText(request: FastifyRequest, name: string): string {
  const [value = '', ...others] = queryValues(request, name)
  return others.length === 0 ? value.slice(0, 1000) : ''
}

function byExitCode(request: FastifyRequest): Ping | null {
  const code = paramOf(request, 'exitCode')
  if (!/^[0-9]{1,3}$/.test(code) || Number(code) > 255) return null
  return Number(code) === 0 ? ping('alive') : ping('failed', { error: `the job ended with exit code ${Number(code)}` })
}

/** `?status=up&msg=OK&ping=12`: any status but `up` is a failure, and `ping` a run time in milliseconds. */
function byPush(request: FastifyRequest): Ping {
  const [note, took] = [queryText(request, 'msg'), queryText(request, 'ping')]
  const durationMs = /^[0-9]{1,9}(\.[0-9]{1,6})?$/.test(took) ? Number(took) : null
  const isUp = queryValues(request, 'status').every((status) => status === '' || status === 'up')
  return ping(isUp ? 'alive' : 'failed', { durationMs, note: note === 'OK' ? '' : note })
}

function evidenceRules({ catalogue }: Deps) {
  const { evidence: mode, limits } = catalogue.service()
  return { mode, evidenceBytes: limits.evidenceBytes, screenshotBytes: limits.screenshotBytes }
}

const doc = ({ url, summary, answer }: Omit<PingPath, 'said' | 'methods'>): Doc => ({
  group: 'Pings',
  summary,
  description:
    'The end of a body is kept as evidence, as far as the check keeps any. `rid` in the query string distinguishes overlapping runs of a job.',
  path: {
    token: { type: 'string', description: 'The token of the check; no other credentials are needed.' },
    ...(url.includes(':exitCode') && { exitCode: { type: 'integer', minimum: 0, maximum: 255, description: '0 for success.' } }),
  },
  answer: {
    description: 'The ping is on disk.',
    mediaType: answer.startsWith('{') ? 'application/json' : 'text/plain',
    schema: answer.startsWith('{') ? { type: 'object', properties: { ok: { type: 'boolean' } } } : { type: 'string' },
    example: answer.startsWith('{') ? { ok: true } : answer,
  },
  errors: ['PING_NOT_FOUND', 'UNAVAILABLE'],
})
