import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, apiError } from '../errors.ts'
import { StoreUnavailable } from '../store/store.ts'
import { restOfBody } from './rest-of-body.ts'

/** In characters. */
export const longestAddress = 16_384

/** How long a client may go on sending after its broken request was answered. */
const lingerMs = 2000

type ErrorBody = { readonly statusCode: number; readonly error: string; readonly message: string; readonly code: string }

/** Every error, ours or the framework's, leaves in one shape. */
export function installErrorReplies(app: FastifyInstance): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    if (error.statusCode === 413) await restOfBody(request.raw)
    return replyWithError(error, request, reply)
  })
  app.setNotFoundHandler(() => {
    throw apiError('ROUTE_NOT_FOUND')
  })
}

export function replyWithError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = toApiError(error, request) ?? unforeseen(error, request, reply)
  return reply.code(told.statusCode).headers(told.headers).type('application/json; charset=utf-8').send(errorBody(told))
}

/**
 * Answers what Node could not read as a request at all. Node reports each further chunk of it as an error too: those are drained, since
 * closing a socket with unread input resets the connection, and the client may lose the answer.
 */
export function replyToBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (socket.writableEnded && !socket.destroyed) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const told = apiError(error.code === 'HPE_HEADER_OVERFLOW' && isOfAddress(error.rawPacket) ? 'ADDRESS_TOO_LONG' : 'MALFORMED_REQUEST')
  const body = JSON.stringify(errorBody(told))
  const status = `HTTP/1.1 ${told.statusCode} ${STATUS_CODES[told.statusCode]}`
  const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`
  const linger = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(linger)).end(`${status}\r\n${headers}\r\n\r\n${body}`)
}

/** Whether the packet that was too much still belongs to the first line: it lies within it, or holds its end but not its short whole. */
function isOfAddress(packet: unknown): boolean {
  if (!(packet instanceof Buffer)) return false
  const [line = '', ...more] = packet.toString('latin1').split('\r\n', 2)
  return more.length === 0 || (/ HTTP\/1\.[01]$/.test(line) && !(line.length <= longestAddress && /^[A-Z-]+ /.test(line)))
}

function errorBody({ statusCode, message, code }: ApiError): ErrorBody {
  return { statusCode, error: STATUS_CODES[statusCode] ?? '', message, code }
}

/** Undefined for what is no one's mistake but ours. */
function toApiError(error: Error, request: FastifyRequest): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof StoreUnavailable) return unavailable(error.retryAfterSeconds)
  const { statusCode = 500 } = error as FastifyError
  if (statusCode === 413) return apiError('BODY_TOO_LARGE', { limit: `${request.routeOptions.bodyLimit} bytes` })
  if (statusCode === 414) return apiError('ADDRESS_TOO_LONG')
  if (statusCode === 415)
    return apiError('UNSUPPORTED_MEDIA_TYPE', { expected: request.routeOptions.config.doc?.body?.mediaType ?? 'application/json' })
  if (statusCode >= 400 && statusCode < 500) return apiError('MALFORMED_REQUEST')
  return undefined
}

function unforeseen(error: Error, request: FastifyRequest, reply: FastifyReply): ApiError {
  const reqId = randomUUID()
  if (!reply.raw.destroyed) request.log.error({ reqId, err: error }, 'a request failed')
  return apiError('INTERNAL', { requestId: reqId })
}

export function unavailable(seconds: number): ApiError {
  return apiError('UNAVAILABLE', { seconds }, { 'retry-after': String(seconds) })
}
