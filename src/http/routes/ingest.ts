import type { FastifyRequest } from 'fastify'
import { agentLocationOf } from '../../catalogue/catalogue.ts'
import { oneAtATime } from '../../concurrency/one-at-a-time.ts'
import { apiError } from '../../errors.ts'
import { type BodyFormat, decodeBody, maxBodyBytes } from '../../ingest/body.ts'
import { type Outcome, PartlyRefused, readAgentBody, readLargeBodyOf, storeRows } from '../../ingest/ingest.ts'
import type { RejectedRow } from '../../ingest/read-rows.ts'
import { callerOf } from '../hooks/auth.ts'
import { unavailable } from '../hooks/error-replies.ts'
import { bytesOf, passBytes } from '../input/byte-body.ts'
import { ingestDoc } from '../reference/ingest-doc.ts'
import type { Routes } from '../route.ts'
import { clientSignal } from '../server/client-signal.ts'

export const ingestPath = '/v1/check-results'
const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']
/** By media type. */
export const bodyFormats: ReadonlyMap<string, BodyFormat> = new Map<string, BodyFormat>([
  ['application/json', 'array'],
  ...lineTypes.map((type) => [type, 'lines'] as const),
])

/** Receives results. Plain posts over a socket are answered by plain-posts.ts before they reach this route. */
export const ingestRoutes: Routes = async (app, { catalogue, store, clock, cardinality, decodeEvidence }) => {
  // One body per key at a time: decompressed, it may take a thousand times the memory.
  const inTurn = oneAtATime()
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...bodyFormats.keys()], { parseAs: 'buffer', bodyLimit: maxBodyBytes }, passBytes)
    scope.addContentTypeParser('*', async () => {
      throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'application/json or application/x-ndjson' })
    })
    scope.post(
      ingestPath,
      { bodyLimit: maxBodyBytes, compress: false, config: { access: 'ingest', doc: ingestDoc } },
      async (request, reply) => {
        const { account, key } = callerOf(request)
        // A key of agents stores results of its location only.
        const location = agentLocationOf(key)
        const clientGone = clientSignal(reply)
        const rows = await inTurn(key.hash, async () => {
          clientGone.throwIfAborted()
          const body = { body: await decodeBody(bytesOf(request), encodingOf(request)), format: formatOf(request) }
          const deps = { catalogue, cardinality, now: clock.now() }
          if (location === null) return readLargeBodyOf(account.id, body, deps)
          return readAgentBody({ account: account.id, location }, body, { ...deps, decodeEvidence })
        })
        if (location === null) return responseBody(await storeRows(rows, store))
        return responseBody(await storeRows(rows, store).catch(rethrowRefusal))
      },
    )
  })
}

/** An agent keeps the refused results, and drops the rest of the call. Older agents send the whole call again. */
function rethrowRefusal(error: unknown): never {
  if (!(error instanceof PartlyRefused)) throw error
  const { refusedChecks, rejected } = error
  throw unavailable(error.retryAfterSeconds, error.publicReason, { refusedChecks, rejected: rejected.map(rejectedEntry) })
}

export function responseBody({ accepted, duplicates, rejected }: Outcome) {
  return { accepted, duplicates, rejected: rejected.map(rejectedEntry) }
}

const rejectedEntry = ({ at, code, message }: RejectedRow) => ({ index: at, code, message })

function encodingOf({ headers }: FastifyRequest): string {
  return headers['content-encoding']?.trim().toLowerCase() || 'identity'
}

function formatOf({ headers }: FastifyRequest): BodyFormat {
  return bodyFormats.get(headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '') ?? 'lines'
}
