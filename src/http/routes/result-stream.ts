import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { selector } from '../../catalogue/policies/policies.ts'
import { ApiError, apiError } from '../../errors.ts'
import { toResult } from '../../store/query/parts/stored-result.ts'
import type { FiledResult } from '../../store/store.ts'
import { authenticate } from '../hooks/auth.ts'
import { findCheck, readId } from '../input/find-check.ts'
import { booleanParam, list, type Parsed, readParams, text } from '../input/params.ts'
import { mediaType, openEventStream } from '../live/event-stream.ts'
import type { StreamFilter } from '../live/event-writer.ts'
import { createLiveResults, type Follower, heartbeatMs, type Subscription } from '../live/live-results.ts'
import { resultEntry } from '../output/result-entry.ts'
import { type Caller, callerOf, type Doc, eventStreamType, type Routes } from '../route.ts'
import { createKeyedSlots } from '../server/concurrency-limit.ts'

const params = {
  checkId: list({ description: 'Results of these checks.' }),
  tag: list({ description: 'Results of checks with any of these tags. With checkId, both must hold; without either, all checks.' }),
  location: text({ description: 'Results of this location.' }),
  hasFailures: booleanParam({ description: 'Only those that failed, or only those that did not.', otherwise: null }),
  lastEventId: text({ description: 'The id of the last event that you have, to go on after it; the header Last-Event-ID wins.' }),
}
type Filter = Parsed<typeof params>

const stallMs = 30_000
const retryAfterSeconds = 10

/** Streams results as they are stored. */
export const resultStreamRoutes: Routes = (app, { catalogue, store, log }) => {
  const takeSlots = createStreamSlots(catalogue)
  const live = createLiveResults({ store, format: formatter(catalogue), newId: () => randomBytes(6).toString('hex') })
  app.addHook('preClose', async () => live.close())
  app.get('/v1/check-results/stream', { config: { access: 'read', doc } }, async (request, reply) => {
    const filter = readParams(params, request.query)
    for (const id of filter.checkId) findCheck(catalogue, request, readId(id))
    if (request.method === 'HEAD') return reply.type(mediaType).send()
    const { account, key } = callerOf(request)
    const release = takeSlots(callerOf(request))
    let subscription: Subscription | null = null
    const stream = openEventStream(reply, {
      stallMs,
      onStall: () => log.warn({ account: account.id, key: key.id }, `A stream was cut: its client read nothing for ${stallMs / 1000} s.`),
      onDrain: () => subscription?.resume(),
      onClose: () => {
        release()
        subscription?.close()
      },
    })
    const follower: Follower = {
      ...stream,
      mayRead: () => mayRead(request, catalogue),
      filter: resultFilter(filter, catalogue),
    }
    subscription = live.follow(account.id, lastEventIdOf(request, filter), follower)
  })
}

/** The same authentication as that of a new request. */
function mayRead({ headers }: FastifyRequest, catalogue: Catalogue): boolean {
  try {
    return authenticate(headers, 'read', catalogue) !== null
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

function resultFilter(filter: Filter, catalogue: Catalogue): StreamFilter {
  const { checkId, tag, location, hasFailures } = filter
  const isOfAll = checkId.length === 0 && tag.length === 0
  const selects = selector({ checks: checkId, tags: tag })
  return {
    key: JSON.stringify([checkId, tag, location, hasFailures]),
    acceptsCheck(check) {
      if (isOfAll) return true
      const known = catalogue.check(check.account, check.checkId)
      return known !== undefined && selects(known)
    },
    acceptsResult: (result) =>
      (location === null || result.runLocation === location) && (hasFailures === null || result.hasFailures === hasFailures),
  }
}

/** Results of checks that the config file has no more are not sent. */
function formatter(catalogue: Catalogue): (filed: FiledResult) => string | null {
  return ({ check, result }) => {
    const known = catalogue.check(check.account, check.checkId)
    return known ? JSON.stringify(resultEntry(known, toResult(check, result), [])) : null
  }
}

/** An empty id is none: so browsers and spreadsheets send it. */
function lastEventIdOf({ headers }: FastifyRequest, { lastEventId }: Filter): string | null {
  const header = headers['last-event-id']
  return (typeof header === 'string' ? header : lastEventId) || null
}

/** Takes a slot of the key and one in all; returns what gives them back. */
function createStreamSlots(catalogue: Catalogue): (caller: Caller) => () => void {
  const takeSlot = createKeyedSlots((limit, exceeded) => {
    const which = exceeded === 'perKey' ? 'with this API key' : 'in all'
    return apiError('TOO_MANY_STREAMS', { limit, which }, { 'retry-after': String(retryAfterSeconds) })
  })
  return ({ key }) => {
    const { streams, streamsPerKey } = catalogue.service().limits
    return takeSlot(key.hash, { perKey: streamsPerKey, inAll: streams })
  }
}

const doc: Doc = {
  group: 'Check results',
  summary: 'Results as they are stored, as server-sent events',
  description: `Each event \`result\` has an entry as those of GET /v2/check-results/{id}, and an id; an event \`open\` at the start has an id, too. A client that connects again with the id of its \
last event in \`Last-Event-ID\` gets what it has missed. Where that is too much or too long ago, an event \`reset\` says for each check when the results \
that were skipped started, in \`missed\`: read them with GET /v2/check-results/{id} and that from and to. After a restart of the server \`missed\` is null. \
A comment comes every ${heartbeatMs / 1000} seconds.`,
  query: params,
  answer: {
    description: 'Events, until the client or the server closes.',
    mediaType: eventStreamType,
    schema: { type: 'string' },
    example:
      'event: result\nid: 5f0c9a1b2d3e-7\ndata: {"id": "0e8f9d3a-7c0b-8b1e-8f00-1d2c3b4a5968", "checkId": "shop", "hasFailures": false}\n\n',
  },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'LINK_TO_STREAM', 'TOO_MANY_STREAMS'],
}
