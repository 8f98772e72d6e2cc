import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Closing } from '../hooks/graceful-close.ts'
import { type BasePath, isLongHeader, withoutBasePath } from './request-head.ts'

/**
 * Answers requests before the router: the few that are so frequent and cheap that the framework costs more than the answer. Must send the
 * same bytes as the route.
 */
export type EarlyHandler = {
  readonly method: 'GET' | 'POST'
  /** Prefix of the paths of its requests. */
  readonly prefix: string
  /** Answers Node's parsed request and returns true, or returns false without having touched it. */
  answer(request: IncomingMessage, response: ServerResponse, closing: Closing): boolean
}

type Options = { readonly handlers: readonly EarlyHandler[]; readonly basePath: BasePath; readonly closing: Closing }

/** Tries these handlers first. Requests that none of them answers go to Fastify, as do all while the server closes. */
export function installEarlyHandlers({ server }: FastifyInstance, { handlers, basePath, closing }: Options): void {
  const fastifyListeners = server.listeners('request')
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = withoutBasePath(request.url ?? '', basePath)
    const handler = handlers.find(({ method, prefix }) => method === request.method && path.startsWith(prefix))
    if (handler && !closing.isClosing && handler.answer(request, response, closing)) return
    for (const listener of fastifyListeners) listener.call(server, request, response)
  })
}

/** Each changes how a request is read or answered. */
const unusualHeaders = ['transfer-encoding', 'content-encoding', 'expect', 'upgrade'] as const

/** Whether the request can be handled without the framework. */
export function isPlain({ headers, httpVersion }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' || headers.host === undefined || unusualHeaders.some((name) => headers[name] !== undefined)) return false
  for (const name in headers) if (isLongHeader(headers, name)) return false
  return true
}

/** Alternating names and values, which Node writes faster than an object. */
export type HeaderList = readonly (string | number)[]

type PlainAnswer = { readonly statusCode: number; readonly headers: HeaderList; readonly body: string }

/** Sends the body as text, which Node writes together with the headers. */
export function sendPlain(response: ServerResponse, { statusCode, headers, body }: PlainAnswer, { isClosing }: Closing): void {
  if (isClosing) response.shouldKeepAlive = false
  response.writeHead(statusCode, headers as OutgoingHttpHeader[]).end(body)
}
