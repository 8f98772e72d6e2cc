import { finished, Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { edgeInstant } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { apiError } from '../../errors.ts'
import { exported, mediaTypes } from '../../ingest/export.ts'
import type { Result } from '../../store/store.ts'
import { lastInstant } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { booleanParam, instant, oneOf, readParams, text, timezone } from '../input/params.ts'
import type { Caller, Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'
import { createKeyedSlots } from '../server/concurrency-limit.ts'
import { watchStall } from '../server/watch-stall.ts'

const params = {
  format: oneOf({ description: 'Lines of JSON, or a table with a header.', choices: ['ndjson', 'csv'], otherwise: 'ndjson' }),
  from: instant({ description: 'Results started at or after this time; default: from the first.' }),
  to: instant({ description: 'Results started at or before this time; default: to the last.' }),
  timezone: timezone(),
  location: text({ description: 'Results of this location.' }),
  hasFailures: booleanParam({ description: 'Only failed, or only successful results.', otherwise: null }),
}

/** A client that takes longer to read a part of an export is disconnected. */
const stallMs = 60_000
const retryAfterSeconds = 10

/** Streams results in the format of the import. */
export const exportRoutes: Routes = (app, { catalogue, store, log }) => {
  const takeSlot = createKeyedSlots((limit, exceeded) => {
    const whose = exceeded === 'perKey' ? 'This API key has' : 'All API keys together have'
    return apiError('TOO_MANY_EXPORTS', { limit, whose }, { 'retry-after': String(retryAfterSeconds) })
  })
  const holdSlot = ({ key }: Caller, reply: FastifyReply): void => {
    const { exports, exportsPerKey } = catalogue.service().limits
    finished(reply.raw, takeSlot(key.hash, { perKey: exportsPerKey, inAll: exports }))
  }
  app.get('/v1/check-results/:id/export', { config: { access: 'read', doc } }, async (request, reply) => {
    const id = requestedId(request)
    const { format, from, to, timezone, location, hasFailures } = readParams(params, request.query)
    const zone = timezone ?? utc
    const window = { from: edgeInstant(from ?? 0, 'from', zone), to: edgeInstant(to ?? lastInstant, 'to', zone) }
    if (window.from > window.to) throw apiError('INVALID_WINDOW')
    const { account, checkType } = findCheck(catalogue, request, id)
    holdSlot(callerOf(request), reply)
    const filter = (result: Result) =>
      (location ?? result.runLocation) === result.runLocation && (hasFailures ?? result.hasFailures) === result.hasFailures
    const chunks = exported(store, { check: { account, checkId: id }, checkType, window, format, filter }, questionOptions(request, reply))
    const onStall = () => {
      log.warn({ checkId: id, account }, `export aborted: the client read too slowly for ${stallMs / 1000} s`)
      reply.raw.destroy()
    }
    reply.type(mediaTypes[format]).header('content-disposition', `attachment; filename="${id}.${format}"`)
    return reply.send(Readable.from(watchStall(await started(chunks), { stallMs, onStall }), { objectMode: false }))
  })
}

/** Waits for the first chunk, so that an early failure is an error response and not a truncated body. */
async function started(chunks: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await chunks.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* chunks
  })()
}

const doc: Doc = {
  group: 'Check results',
  summary: 'Export the results of a check',
  description:
    'Streams every result in the window, oldest first, in the format of POST /v1/check-results and `tidemark import`. Slow clients are disconnected.',
  path: { id: idSchema },
  query: params,
  answer: { description: 'One result per line.', mediaType: 'application/x-ndjson', otherTypes: ['text/csv'], schema: { type: 'string' } },
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'UNKNOWN_TIMEZONE', 'CHECK_NOT_FOUND', 'TOO_MANY_EXPORTS', 'UNAVAILABLE'],
}
