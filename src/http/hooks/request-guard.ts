import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'
import { escapeMarkup } from '../../text/escape-markup.ts'
import { prefersHtml, sendPlainPage } from '../output/plain-page.ts'
import { type Access, type Deps, eventStreamType } from '../route.ts'
import { type BasePath, isLongHeader, linkedBodyOf, linkTokenOf } from '../server/request-head.ts'
import { authenticateRequest } from './auth.ts'
import { maxUrlLength } from './error-replies.ts'
import type { Closing } from './graceful-close.ts'
import { linkHeaders } from './links.ts'
import { type FindPath, unknownRoute } from './methods.ts'
import type { RateLimit } from './rate-limit.ts'
import { addVary, answerPreflight, baseHeaders } from './reply-headers.ts'
import { logSlow, slowMs } from './request-log.ts'

type Options = { readonly findPath: FindPath; readonly countRequest: RateLimit }

/**
 * Guards every request before its body is read. All steps share one hook, since Fastify spends more on a hook than most steps cost. An
 * error is sent with the headers of all steps before it.
 */
export function installRequestGuard(app: FastifyInstance, deps: Deps, { findPath, countRequest }: Options): void {
  const sendNotFoundPage = createNotFoundPage(deps.basePath)
  const admit = (request: FastifyRequest, reply: FastifyReply, access: Access | undefined) => {
    request.caller = authenticateRequest(request.raw, access, deps)
    if (request.caller) limitRate(reply, countRequest(request.caller))
  }
  const refuseUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    const path = findPath(request.raw)
    if (!path && sendNotFoundPage(request, reply)) return
    admit(request, reply, path?.access)
    throw unknownRoute(request.raw, path)
  }

  app.decorateRequest('caller', null)
  app.decorateRequest('receivedAt', 0)
  app.addHook('onRequest', (request, reply, done) => {
    request.receivedAt = performance.now()
    const { raw } = request
    const { config } = request.routeOptions
    const service = deps.catalogue.service()
    reply.headers(baseHeaders(service, raw.headers.origin))
    if (answerPreflight(service, raw, reply)) return
    rejectUnreadable(raw)
    if (request.is404) return refuseUnknown(request, reply)
    admit(request, reply, config.access)
    if (config.doc?.answer.mediaType === eventStreamType) rejectLink(raw)
    if (config.headers) reply.headers(config.headers)
    setLinkedBody(request)
    done()
  })
}

/** Completes every answer before it is sent; one hook, as for requests. */
export function installResponseGuard(app: FastifyInstance, { log }: Pick<Deps, 'log'>, closing: Closing): void {
  app.addHook('onSend', (request, reply, _, done) => {
    if (closing.isClosing) reply.raw.shouldKeepAlive = false
    if (linkTokenOf(request.raw) !== undefined) reply.headers(linkHeaders)
    const tookMs = performance.now() - request.receivedAt
    if (tookMs >= slowMs) logSlow(request, tookMs, log)
    done()
  })
}

/** Node itself would reject a request without a host, but without sending a body. */
function rejectUnreadable({ url = '', headers, httpVersion }: IncomingMessage): void {
  if (url.length > maxUrlLength) throw apiError('ADDRESS_TOO_LONG')
  if (dropLongHeaders(headers)) throw apiError('HEADERS_TOO_LARGE')
  if (headers.host === undefined && httpVersion === '1.1') throw apiError('MALFORMED_REQUEST')
}

/** Removes overlong headers, since the error reply would read them too. */
function dropLongHeaders(headers: IncomingHttpHeaders): boolean {
  const long = Object.keys(headers).filter((name) => isLongHeader(headers, name))
  for (const name of long) delete headers[name]
  return long.length > 0
}

/** A stream never ends, so anyone with the link could keep a connection open. */
function rejectLink(request: IncomingMessage): void {
  if (linkTokenOf(request) !== undefined) throw apiError('LINK_TO_STREAM')
}

function limitRate(reply: FastifyReply, { headers, exceeded }: ReturnType<RateLimit>): void {
  reply.headers(headers)
  if (exceeded) throw exceeded
}

/** A link can carry a POST body: a GET of such a link is routed as a POST. */
function setLinkedBody(request: FastifyRequest): void {
  const body = linkedBodyOf(request.raw)
  if (body !== undefined) request.body = JSON.parse(body)
}

/** Sends browsers an HTML page instead of the JSON error; returns false for other clients. */
function createNotFoundPage(basePath: BasePath): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const base = escapeMarkup(basePath)
  const content = `<h1>There is nothing at this address.</h1>
<p><a href="${base}/">All checks</a>, <a href="${base}/slos">the SLOs</a>, or <a href="${base}/docs">the API</a>.</p>`
  return ({ method, headers }, reply) => {
    if ((method !== 'GET' && method !== 'HEAD') || !prefersHtml(headers)) return false
    addVary(reply, 'Accept')
    sendPlainPage(reply.code(404), 'Not found', content)
    return true
  }
}
