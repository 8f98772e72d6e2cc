import type { Readable } from 'node:stream'
import type { FastifyRequest, HTTPMethods } from 'fastify'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { sha256 } from '../../ids/sha256.ts'
import { type Ping, type PingKind, receivePing } from '../../ingest/ping.ts'
import { readPingBody } from '../../ingest/ping-body.ts'
import { createStartedRuns } from '../../ingest/started-runs.ts'
import type { Deps, Doc, Routes } from '../route.ts'

type PingMeaning = Ping | 'started' | 'logged'

type PingPath = {
  readonly url: string
  readonly summary: string
  readonly answer: string
  readonly methods?: HTTPMethods[]
}

const ping = (kind: PingKind, more: Partial<Ping> = {}): Ping => ({ kind, error: null, durationMs: null, note: '', ...more })

/** The ping paths of Healthchecks and Uptime Kuma. */
const paths: readonly PingPath[] = [
  { url: '/ping/:token', summary: 'Report that a job is alive', answer: 'OK' },
  { url: '/ping/:token/start', summary: 'Report the start of a job, to measure its run time', answer: 'OK' },
  { url: '/ping/:token/fail', summary: 'Report that a job failed', answer: 'OK' },
  { url: '/ping/:token/log', summary: 'Accepted for Healthchecks clients; not stored', answer: 'OK' },
  { url: '/ping/:token/:slug', summary: 'Report the exit code of a job, or by slug that it is alive', answer: 'OK' },
  { url: '/ping/:token/:slug/start', summary: 'Report the start of a job by slug', answer: 'OK' },
  { url: '/ping/:token/:slug/fail', summary: 'Report by slug that a job failed', answer: 'OK' },
  { url: '/ping/:token/:slug/log', summary: 'Accepted for Healthchecks clients; not stored', answer: 'OK' },
  { url: '/ping/:token/:slug/:exitCode', summary: 'Report the exit code of a job by slug', answer: 'OK' },
  {
    url: '/api/push/:token',
    summary: 'Report a job as up or down, like Uptime Kuma',
    answer: '{"ok":true}',
    methods: ['GET', 'POST', 'HEAD', 'PUT', 'PATCH'],
  },
]

/** Jobs report here that they are alive. The token, or the ping key of an account, is the only credential. */
export const pingRoutes: Routes = async (app, deps) => {
  const { catalogue, store, clock } = deps
  const started = createStartedRuns()
  async function take(request: FastifyRequest, { check, token, action }: Addressed, isPush: boolean): Promise<void> {
    const said = isPush ? byPush(request) : saidBy(action)
    const [now, runId] = [clock.now(), queryText(request, 'rid')]
    if (said === null) throw apiError('PING_NOT_FOUND')
    if (said === 'started') started.start(check, runId, now)
    if (said === 'started' || said === 'logged') return
    const body = typeof request.body === 'string' ? request.body : ''
    const durationMs = said.durationMs ?? started.end(check, runId, now)
    await receivePing(store, check, { ...said, durationMs, now, body, token, rules: evidenceRules(deps) })
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_: FastifyRequest, body: Readable) => readPingBody(body))
    for (const { url, answer, methods = ['GET', 'POST', 'HEAD'], ...described } of paths) {
      const isPush = url.startsWith('/api/push/')
      const find = (request: FastifyRequest) => addressed(catalogue, partsOf(url, request))
      scope.route({
        method: methods,
        url,
        exposeHeadRoute: false,
        config: { access: 'open', doc: doc({ url, answer, ...described }) },
        // Runs before the body is read: an invalid token must not cost that.
        onRequest: async (request) => void find(request),
        handler: async (request, reply) => {
          await take(request, find(request), isPush)
          return reply.type(mediaTypeOf(answer)).header('cache-control', 'no-store').send(answer)
        },
      })
    }
  })
}

/** The path segments from the token on. */
function partsOf(url: string, request: FastifyRequest): readonly string[] {
  const parts = url.split('/')
  return parts.slice(parts.indexOf(':token')).map((part) => (part.startsWith(':') ? paramOf(request, part.slice(1)) : part))
}

/** The pinged check. An empty action means alive. */
type Addressed = { readonly check: Check; readonly token: string; readonly action: string }

/** The first segment decides between `TOKEN/ACTION` and `KEY/ID/ACTION`, since a check may have the id `start`. */
function addressed(catalogue: Catalogue, [token = '', ...rest]: readonly string[]): Addressed {
  const hash = sha256(token)
  const ofToken = catalogue.checkByPingToken(hash)
  if (ofToken && rest.length < 2) return { check: ofToken, token, action: rest[0] ?? '' }
  const [slug, action = ''] = rest
  const account = ofToken ? undefined : catalogue.accountByPingKey(hash)
  if (!account || slug === undefined) throw apiError('PING_NOT_FOUND')
  const check = catalogue.check(account.id, slug)
  if (!check?.checkType.pingSettings) throw apiError('PING_SLUG_NOT_FOUND')
  return { check, token, action }
}

function saidBy(action: string): PingMeaning | null {
  if (action === '') return ping('alive')
  if (action === 'start') return 'started'
  if (action === 'fail') return ping('failed')
  return action === 'log' ? 'logged' : byExitCode(action)
}

const paramOf = ({ params }: FastifyRequest, name: string) => String((params as Readonly<Record<string, string>>)[name] ?? '')

const mediaTypeOf = (answer: string) => (answer.startsWith('{') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8')

const queryValues = ({ query }: FastifyRequest, name: string) => (query as Readonly<Record<string, readonly string[]>>)[name] ?? []

/** The first 1000 characters of a parameter; empty if it is repeated or absent. */
function queryText(request: FastifyRequest, name: string): string {
  const [value = '', ...others] = queryValues(request, name)
  return others.length === 0 ? value.slice(0, 1000) : ''
}

function byExitCode(code: string): Ping | null {
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

const tokenParam = { type: 'string', description: 'The token of the check; no other credentials required.' }
const keyParam = { type: 'string', description: '`pingKey` of the account; no other credentials required.' }
const eitherParam = { type: 'string', description: 'The token of the check, or `pingKey` of its account; no other credentials required.' }
const slugParam = { type: 'string', description: 'The slug of the check, which is its id.' }
const codeOrSlug = {
  type: 'string',
  description: 'After a token the exit code, from 0 for success to 255; after a ping key the id of the check.',
}
const codeParam = { type: 'integer', minimum: 0, maximum: 255, description: '0 for success.' }

function paramsOf(url: string): NonNullable<Doc['path']> {
  if (!url.includes(':slug')) return { token: tokenParam }
  if (url.endsWith(':slug')) return { token: eitherParam, slug: codeOrSlug }
  return { token: keyParam, slug: slugParam, ...(url.endsWith(':exitCode') && { exitCode: codeParam }) }
}

const doc = ({ url, summary, answer }: Omit<PingPath, 'methods'>): Doc => ({
  group: 'Pings',
  summary,
  description:
    'The end of the body is stored as evidence, if the check keeps evidence. `rid` in the query string distinguishes overlapping runs of a job.',
  path: paramsOf(url),
  answer: {
    description: 'The ping is on disk.',
    mediaType: answer.startsWith('{') ? 'application/json' : 'text/plain',
    schema: answer.startsWith('{') ? { type: 'object', properties: { ok: { type: 'boolean' } } } : { type: 'string' },
    example: answer.startsWith('{') ? { ok: true } : answer,
  },
  errors: ['PING_NOT_FOUND', ...(url.startsWith('/ping/:token/') ? (['PING_SLUG_NOT_FOUND'] as const) : []), 'UNAVAILABLE'],
})
