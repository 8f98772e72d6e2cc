import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { lruCache } from '../../cache/cache.ts'
import { linkIdOf } from '../../catalogue/links.ts'
import type { ErrorCode } from '../../errors.ts'
import { shortened } from '../../text/shortened.ts'
import { isRecent, minuteMs } from '../../time.ts'
import type { Deps } from '../route.ts'
import { linkTokenOf } from '../server/request-head.ts'

export const slowMs = 2000
const maxLoggedUrl = 500
const keyRefusals: readonly string[] = ['UNKNOWN_KEY', 'FORBIDDEN_ACCOUNT', 'MISSING_SCOPE'] satisfies ErrorCode[]
const linkRefusals: readonly string[] = ['UNKNOWN_LINK', 'LINK_ELSEWHERE', 'LINK_TO_STREAM', 'LINK_EXPIRED'] satisfies ErrorCode[]

type Options = Pick<Deps, 'log' | 'clock'>

/** Logs refused keys and links, and every request at level debug. Install it after all other request listeners. */
export function installRequestLog(app: FastifyInstance, { log, clock }: Options): void {
  const logRefusal = refusalLog({ log, clock })
  app.addHook('onError', (request, _, error, done) => {
    if (keyRefusals.includes(error.code) || linkRefusals.includes(error.code)) logRefusal(request, error)
    done()
  })
  if (log.level === 'debug') logEachRequest(app, log)
}

export function logSlow(request: FastifyRequest, tookMs: number, log: Options['log']): void {
  if (!mayTakeLong(request)) log.warn({ ...requestFields(request.raw), ms: Math.round(tookMs) }, 'Slow request.')
}

/** Node's own event also covers requests that do not reach the router. */
function logEachRequest({ server }: FastifyInstance, log: Options['log']): void {
  server.on('request', (request, response) => {
    const begun = performance.now()
    const fields = requestFields(request)
    response.once('close', () => {
      log.debug({ ...fields, status: response.statusCode, ms: Math.round(performance.now() - begun) }, 'Request completed.')
    })
  })
}

/** At most one line a minute per error code and client address; the next line says how many were omitted. */
function refusalLog({ log, clock }: Options): (request: FastifyRequest, error: FastifyError) => void {
  const lastLines = lruCache<string, { readonly at: number; omitted: number }>(1000)
  return (request, { code, message }) => {
    const source = `${code} ${request.ip}`
    const last = lastLines.get(source)
    if (last && isRecent(last.at, minuteMs, clock.now())) {
      last.omitted += 1
      return
    }
    lastLines.set(source, { at: clock.now(), omitted: 0 })
    const fields = { code, ...requestFields(request.raw), from: request.ip, ...(last && { omitted: last.omitted }) }
    if (linkRefusals.includes(code)) log.warn({ ...fields, link: linkIdOf(linkTokenOf(request.raw) ?? '') }, `Link rejected: ${message}`)
    else log.warn({ ...fields, key: publicKeyPart(request.headers.authorization) }, `Key rejected: ${message}`)
  }
}

/** The public part of a key, which is also in the config file; null for other texts. */
function publicKeyPart(authorization = ''): string | null {
  return /^Bearer +(tdm_[0-9A-Za-z]{8})_/i.exec(authorization)?.[1] ?? null
}

/** Masks the tokens of pings, acknowledgements and links, which are secrets. */
function requestFields({ method, url = '' }: IncomingMessage): { readonly method: string | undefined; readonly url: string } {
  return {
    method,
    url: shortened(url.replace(/(\/(?:ping|acknowledge|api\/push)\/)[^/?]+/, '$1•••').replace(/(tdl_\w{8}_)[^&]*/g, '$1•••'), maxLoggedUrl),
  }
}

/** Streams and long polls. */
const mayTakeLong = ({ routeOptions }: FastifyRequest) => /\/(export|stream|agents\/checks)$/.test(routeOptions.url ?? '')
