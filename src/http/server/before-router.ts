import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Closing } from '../hooks/graceful-close.ts'
import { type BasePath, isLongHeader, withoutBasePath } from './request-head.ts'

/**
 * For the few requests that are so frequent and cheap that the framework costs more than the answer; their answers are the bytes that the
 * route would send.
 */
export type EarlyHandler = {
  readonly method: 'GET' | 'POST'
  /** How the paths of its requests begin. */
  readonly prefix: string
  /** Answers a request on Node's parsed form of it and returns true, or returns false without having touched it. */
  answer(request: IncomingMessage, response: ServerResponse, closing: Closing): boolean
}

type Options = { readonly handlers: readonly EarlyHandler[]; readonly basePath: BasePath; readonly closing: Closing }

/** Asks these handlers first. A request that none of them answers goes to Fastify, and so do all while the server closes. */
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

/** Whether nothing about how it was sent needs the framework. */
export function isPlain({ headers, httpVersion }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' || headers.host === undefined || unusualHeaders.some((name) => headers[name] !== undefined)) return false
  for (const name in headers) if (isLongHeader(headers, name)) return false
  return true
}

/** Names and values in turn, which Node writes faster than an object. */
export type HeaderList = readonly (string | number)[]

type PlainAnswer = { readonly statusCode: number; readonly headers: HeaderList; readonly body: string }

/** Node writes a text together with the headers. */
export function sendPlain(response: ServerResponse, { statusCode, headers, body }: PlainAnswer, { isClosing }: Closing): void {
  if (isClosing) response.shouldKeepAlive = false
  response.writeHead(statusCode, headers as OutgoingHttpHeader[]).end(body)
}
