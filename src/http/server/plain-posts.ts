import type { IncomingMessage, ServerResponse } from 'node:http'
import { agentLocationOf } from '../../catalogue/catalogue.ts'
import { inTurns } from '../../concurrency/turns.ts'
import type { BodyFormat } from '../../ingest/body.ts'
import { PartlyRefused, readBodyOf, storeBatch } from '../../ingest/ingest.ts'
import type { ReadRows } from '../../ingest/read-rows.ts'
import { authenticate } from '../hooks/auth.ts'
import { errorBody, toApiError } from '../hooks/error-replies.ts'
import type { Closing } from '../hooks/graceful-close.ts'
import type { RateLimit } from '../hooks/rate-limit.ts'
import { baseHeaders, type Headers } from '../hooks/reply-headers.ts'
import type { Caller, Deps } from '../route.ts'
import { bodyFormats, ingestPath, responseBody } from '../routes/ingest.ts'
import { type EarlyHandler, isPlain, sendPlain } from './before-router.ts'
import { withoutBasePath } from './request-head.ts'

/** In bytes. For larger bodies, the framework's share of the cost is small. */
const maxLength = 65_536
/** Answers that are sent per turn of the event loop. */
const answersPerTurn = 16

/** A post that may be answered here: its caller, its body, and the headers of its answer. */
type PlainPost = { readonly caller: Caller; readonly format: BodyFormat; readonly length: number; readonly headers: Headers }
type ReceivedPost = { readonly post: PlainPost; readonly body: Buffer; readonly response: ServerResponse; readonly closing: Closing }

/**
 * Answers plain posts of results: for a small post, the framework costs more than storing it. The body of any other request stays unread.
 */
export function answerPlainPosts(deps: Deps, countRequest: RateLimit): EarlyHandler {
  const receive = coalesce<ReceivedPost>((posts) => void answerBatch(posts, deps))
  return {
    method: 'POST',
    prefix: ingestPath,
    answer(request, response, closing) {
      const post = admit(request, deps, countRequest)
      if (post) collectBody(request, post.length, (body) => receive({ post, body, response, closing }))
      return post !== null
    },
  }
}

/** Null for a request that Fastify must handle; its body is not touched. */
function admit(request: IncomingMessage, { catalogue, basePath }: Deps, countRequest: RateLimit): PlainPost | null {
  if (!isIngestPath(withoutBasePath(request.url ?? '', basePath))) return null
  const { headers } = request
  const format = bodyFormats.get(headers['content-type'] ?? '')
  const length = Number(headers['content-length'])
  if (!format || !(length > 0 && length <= maxLength) || !isPlain(request)) return null
  const caller = callerOrNull(headers, catalogue)
  // Results of agents may have evidence, which the route decodes in a thread.
  if (!caller || agentLocationOf(caller.key) !== null) return null
  const { headers: limits, exceeded } = countRequest(caller)
  return exceeded ? null : { caller, format, length, headers: Object.assign({}, baseHeaders(catalogue.service(), headers.origin), limits) }
}

const isIngestPath = (path: string) => path === ingestPath || path === `${ingestPath}/`

/** Null if authentication fails: Fastify repeats it, and sends the error. */
function callerOrNull(headers: IncomingMessage['headers'], catalogue: Deps['catalogue']): Caller | null {
  try {
    return authenticate(headers, 'ingest', catalogue)
  } catch {
    return null
  }
}

/** A client that disconnects half way gets no answer, and `done` is not called. */
function collectBody(request: IncomingMessage, length: number, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => {
      const [only = Buffer.alloc(0)] = chunks
      done(chunks.length === 1 ? only : Buffer.concat(chunks, length))
    })
}

/** One append for all posts of the batch; a body that is invalid fails alone. */
async function answerBatch(posts: readonly ReceivedPost[], deps: Deps): Promise<void> {
  const valid: { readonly received: ReceivedPost; readonly rows: ReadRows }[] = []
  for (const received of posts) {
    try {
      valid.push({ received, rows: rowsOf(received, deps) })
    } catch (error) {
      sendError(received, error, deps)
    }
  }
  try {
    const outcomes = await storeBatch(
      valid.map(({ rows }) => rows),
      deps.store,
    )
    inTurns([...valid.keys()], answersPerTurn, (i) => {
      const { received } = valid[i] as (typeof valid)[number]
      const outcome = outcomes[i] as (typeof outcomes)[number]
      if (outcome instanceof PartlyRefused) sendError(received, outcome, deps)
      else send(received, 200, received.post.headers, responseBody(outcome))
    })
  } catch (error) {
    inTurns(valid, answersPerTurn, ({ received }) => sendError(received, error, deps))
  }
}

function rowsOf({ post: { caller, format }, body }: ReceivedPost, { catalogue, clock, cardinality }: Deps): ReadRows {
  return readBodyOf(caller.account.id, { body, format }, { catalogue, cardinality, now: clock.now() })
}

function sendError(received: ReceivedPost, error: unknown, { log }: Deps): void {
  const shown = toApiError(error, { log, isClientGone: received.response.destroyed })
  send(received, shown.statusCode, { ...received.post.headers, ...shown.headers }, errorBody(shown))
}

function send({ response, closing }: ReceivedPost, statusCode: number, headers: Headers, body: object): void {
  const text = JSON.stringify(body)
  const ownHeaders = ['content-type', 'application/json; charset=utf-8', 'content-length', Buffer.byteLength(text)]
  sendPlain(response, { statusCode, headers: [...Object.entries(headers).flat(), ...ownHeaders], body: text }, closing)
}

/** How many turns of the event loop to wait while each one brings more items. */
const maxTurns = 1

/** Hands items that arrive within a few turns of the event loop to `handle` in one batch, so that they share its cost. */
function coalesce<T>(handle: (batch: readonly T[]) => void): (item: T) => void {
  let batch: T[] = []
  const wait = (seen: number, turns: number) => {
    if (batch.length > seen && turns < maxTurns) {
      setImmediate(wait, batch.length, turns + 1)
      return
    }
    const ready = batch
    batch = []
    handle(ready)
  }
  return (item) => {
    if (batch.push(item) === 1) setImmediate(wait, 0, 0)
  }
}
