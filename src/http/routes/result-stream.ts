import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { selector } from '../../catalogue/policies/policies.ts'
import { ApiError, apiError } from '../../errors.ts'
import { toResult } from '../../store/query/parts/stored-result.ts'
import type { FiledResult } from '../../store/store.ts'
import { authenticate, callerOf } from '../hooks/auth.ts'
import { findCheck, readId } from '../input/find-check.ts'
import { booleanParam, list, listOf, type Parsed, possiblyEmptyText, readParams, text } from '../input/params.ts'
import { mediaType, openEventStream } from '../live/event-stream.ts'
import type { StreamFilter } from '../live/event-writer.ts'
import { type LiveAlert, liveAlert } from '../live/live-alert.ts'
import { createLiveResults, type Follower, heartbeatMs, type Subscription } from '../live/live-results.ts'
import { resultEntry } from '../output/result-entry.ts'
import { type Caller, type Doc, eventStreamType, type Routes, runningAlerts } from '../route.ts'
import { createKeyedSlots } from '../server/concurrency-limit.ts'

const params = {
  events: listOf({ description: 'The events to send; default: results.', choices: ['results', 'alerts'] }),
  checkId: list({ description: 'Results and alerts of these checks.' }),
  tag: list({
    description: 'Results and alerts of checks with any of these tags. With checkId, both must hold; without either, all checks.',
  }),
  location: text({ description: 'Results of this location.' }),
  hasFailures: booleanParam({ description: 'Only failed, or only successful results.', otherwise: null }),
  lastEventId: possiblyEmptyText({
    description: 'The id of the last received event, to resume after it; the header Last-Event-ID takes precedence.',
  }),
}
type Filter = Parsed<typeof params>

const stallMs = 30_000
const retryAfterSeconds = 10

/** Streams results as they are stored, and alert events. */
export const resultStreamRoutes: Routes = (app, deps) => {
  const { catalogue, store, log, alerts } = deps
  const takeSlots = createStreamSlots(catalogue)
  const live = createLiveResults({
    store,
    onAlert: (account, announce) => alerts?.onEvent(account, (event) => announce(liveAlert(event))) ?? (() => {}),
    format: formatter(catalogue),
    newId: () => randomBytes(6).toString('hex'),
  })
  app.addHook('preClose', async () => live.close())
  app.get('/v1/check-results/stream', { config: { access: 'read', doc } }, async (request, reply) => {
    const filter = readParams(params, request.query)
    for (const id of filter.checkId) findCheck(catalogue, request, readId(id))
    if (filter.events.includes('alerts')) runningAlerts(deps)
    if (request.method === 'HEAD') return reply.type(mediaType).send()
    const { account, key } = callerOf(request)
    const release = takeSlots(callerOf(request))
    let subscription: Subscription | null = null
    const stream = openEventStream(reply, {
      stallMs,
      onStall: () => log.warn({ account: account.id, key: key.id }, `Stream aborted: the client read nothing for ${stallMs / 1000} s.`),
      onDrain: () => subscription?.resume(),
      onClose: () => {
        release()
        subscription?.close()
      },
    })
    const follower: Follower = {
      ...stream,
      mayRead: () => mayRead(request, catalogue),
      filter: streamFilter(filter, account.id, catalogue),
    }
    subscription = live.follow(account.id, lastEventIdOf(request, filter), follower)
  })
}

/** Authenticates the key again, as for a new request. */
function mayRead({ headers }: FastifyRequest, catalogue: Catalogue): boolean {
  try {
    return authenticate(headers, 'read', catalogue) !== null
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

function streamFilter(filter: Filter, account: string, catalogue: Catalogue): StreamFilter {
  const { events, checkId, tag, location, hasFailures } = filter
  const isOfAll = checkId.length === 0 && tag.length === 0
  const selects = selector({ checks: checkId, tags: tag })
  const isSelected = (id: string) => {
    const known = catalogue.check(account, id)
    return known !== undefined && selects(known)
  }
  const wantsResults = events.length === 0 || events.includes('results')
  return {
    key: JSON.stringify([events, checkId, tag, location, hasFailures]),
    acceptsCheck: (check) => wantsResults && (isOfAll || isSelected(check.checkId)),
    acceptsResult: (result) =>
      (location === null || result.runLocation === location) && (hasFailures === null || result.hasFailures === hasFailures),
    ...(events.includes('alerts') && { acceptsAlert: ({ checkIds }: LiveAlert) => isOfAll || checkIds.some(isSelected) }),
  }
}

/** Skips results of checks that no longer exist. */
function formatter(catalogue: Catalogue): (filed: FiledResult) => string | null {
  return ({ check, result }) => {
    const known = catalogue.check(check.account, check.checkId)
    return known ? JSON.stringify(resultEntry(known, toResult(check, result), [])) : null
  }
}

/** An empty id counts as none: browsers and spreadsheets send one. */
function lastEventIdOf({ headers }: FastifyRequest, { lastEventId }: Filter): string | null {
  const header = headers['last-event-id']
  return (typeof header === 'string' ? header : lastEventId) || null
}

/** Takes a slot of the key and one overall; returns a release function. */
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
  summary: 'Results as they are stored, and alerts, as server-sent events',
  description: `Each event \`result\` has an entry as those of GET /v2/check-results/{id}, and an id; an event \`open\` at the start has an id, too. A client that reconnects with the id of its \
last event in \`Last-Event-ID\` gets missed events. If there are too many or they are too old, an event \`reset\` has for each check when the results \
that were skipped started, in \`missed\`: read them with GET /v2/check-results/{id} and that from and to. After a restart of the server \`missed\` is null. \
With \`events=alerts\`, an event \`alert\` reports an opened, changed, acknowledged or closed alert (\`change\`) and its state (\`alert\`); an event \
\`delivery\` is an attempt to notify a channel. \`alerts\` of a reset is true where some of them were skipped: read GET /v1/alerts. \
A comment comes every ${heartbeatMs / 1000} seconds.`,
  query: params,
  answer: {
    description: 'Events, until the client or the server closes.',
    mediaType: eventStreamType,
    schema: { type: 'string' },
    example:
      'event: result\nid: 5f0c9a1b2d3e-7\ndata: {"id": "0e8f9d3a-7c0b-8b1e-8f00-1d2c3b4a5968", "checkId": "shop", "hasFailures": false}\n\n',
  },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'LINK_TO_STREAM', 'TOO_MANY_STREAMS', 'ALERTS_OFF'],
}
