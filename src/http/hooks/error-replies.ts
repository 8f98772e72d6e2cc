import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, apiError, type ErrorCode } from '../../errors.ts'
import { QueryTooLarge, StoreUnavailable } from '../../store/store.ts'
import { drainBody } from './drain-body.ts'
import { safeHeaders } from './reply-headers.ts'

export const maxUrlLength = 16_384
/** Limit for the request line and all headers. Smaller than one socket read, so that the start of a larger request is available. */
export const maxHeadBytes = 2 * maxUrlLength

/** How long a socket stays open after an error reply, for a client that is still sending. */
const lingerMs = 2000

type ErrorBody = {
  readonly statusCode: number
  readonly error: string
  readonly message: string
  readonly code: string
  readonly faults?: ApiError['faults']
}

/** Gives all errors, ours and Fastify's, the same shape. */
export function installErrorReplies(app: FastifyInstance): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    if (error.statusCode === 413) await drainBody(request.raw)
    return replyWithError(error, request, reply)
  })
  app.setNotFoundHandler(() => {
    throw apiError('ROUTE_NOT_FOUND')
  })
}

/** Answers requests that Fastify refuses before any hook has run. */
export function replyToUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  replyWithError(error, request, reply.headers(safeHeaders))
}

function replyWithError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = frameworkError(error, request) ?? toApiError(error, { log: request.log, isClientGone: reply.raw.destroyed })
  return reply.code(shown.statusCode).headers(shown.headers).type('application/json; charset=utf-8').send(errorBody(shown))
}

/**
 * Answers input that Node could not parse as a request. Node reports each further chunk as an error too; these are drained, since closing a
 * socket with unread input resets the connection, and the client may lose the answer.
 */
export function replyToBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (socket.writableEnded && !socket.destroyed) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  endWithError(socket, apiError(brokenBy(error)))
}

function brokenBy({ code, rawPacket, bytesParsed }: ConnectionError): ErrorCode {
  if (code !== 'HPE_HEADER_OVERFLOW') return 'MALFORMED_REQUEST'
  return rawPacket instanceof Buffer && isInRequestLine(rawPacket.toString('latin1'), bytesParsed)
    ? 'ADDRESS_TOO_LONG'
    : 'HEADERS_TOO_LARGE'
}

/** Answers on a socket without a parsed request, and closes it once the client has had time to read. */
export function endWithError(socket: Socket, error: ApiError): void {
  const body = JSON.stringify(errorBody(error))
  const headers = {
    ...safeHeaders,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    ...error.headers,
    Connection: 'close',
  }
  const head = [
    `HTTP/1.1 ${error.statusCode} ${STATUS_CODES[error.statusCode]}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  const linger = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(linger)).end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The error that the caller sees. Anything unexpected is logged under an id and shown as INTERNAL without details. */
export function toApiError(
  error: unknown,
  { log, isClientGone }: { readonly log: FastifyBaseLogger; readonly isClientGone: boolean },
): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreUnavailable) return unavailable(error.retryAfterSeconds, error.publicReason)
  if (error instanceof QueryTooLarge) return apiError('QUERY_TOO_LARGE', { reason: error.message })
  const reqId = newRequestId()
  if (!isClientGone) log.error({ reqId, err: error }, 'request failed')
  return apiError('INTERNAL', { requestId: reqId })
}

/** Some API clients treat an error text that contains `404` as "not found" and forget the check, so ids must not contain it. */
function newRequestId(): string {
  const id = randomUUID()
  return id.includes('404') ? newRequestId() : id
}

export function errorBody({ statusCode, message, code, faults, details }: ApiError): ErrorBody {
  return { statusCode, error: STATUS_CODES[statusCode] ?? '', message, code, ...(faults && { faults }), ...details }
}

export function unavailable(seconds: number, reason: string | null = null, details: ApiError['details'] = {}): ApiError {
  const headers = { 'retry-after': String(seconds) }
  const message = reason === null ? apiError('UNAVAILABLE', { seconds }).message : `${reason} Try again in ${seconds} s.`
  return new ApiError('UNAVAILABLE', message, headers, null, details)
}

/** Whether the header overflow was in the request line. Only the current packet is available: it shows how that line ends or begins. */
function isInRequestLine(packet: string, at: number): boolean {
  const end = packet.indexOf('\r\n', at)
  if (end >= 0) return / HTTP\/1\.[01]$/.test(packet.slice(Math.max(0, end - 9), end))
  return /^[A-Z-]+ /.test(packet) && packet.lastIndexOf('\r\n', at) < 0
}

/** Translates Fastify's own 4xx errors; undefined for all others. */
function frameworkError(error: Error, { routeOptions }: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError || error instanceof StoreUnavailable) return undefined
  const { statusCode = 500 } = error as FastifyError
  if (statusCode === 413) return apiError('BODY_TOO_LARGE', { limit: `${routeOptions.bodyLimit} bytes` })
  if (statusCode === 414) return apiError('ADDRESS_TOO_LONG')
  if (statusCode === 415)
    return apiError('UNSUPPORTED_MEDIA_TYPE', { expected: routeOptions.config.doc?.body?.mediaType ?? 'application/json' })
  if (statusCode < 400 || statusCode >= 500) return undefined
  const isJson = error instanceof SyntaxError || (error as FastifyError).code === 'FST_ERR_CTP_INVALID_JSON_BODY'
  return isJson ? new ApiError('MALFORMED_REQUEST', 'The body cannot be read: it must be JSON.', {}) : apiError('MALFORMED_REQUEST')
}
