import type { FastifyRequest } from 'fastify'
import { apiError } from '../errors.ts'
import { type BodyFormat, bodyLimits, bodyRows, decodeBody, maxBodyBytes } from '../ingest/body.ts'
import { ingest } from '../ingest/ingest.ts'
import { callerOf, type Doc, type Routes } from './route.ts'

const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']

/** Takes results in. */
export const ingestRoutes: Routes = async (app, { catalogue, store, clock }) => {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(['application/json', ...lineTypes], { parseAs: 'buffer', bodyLimit: maxBodyBytes }, keepBytes)
    scope.addContentTypeParser('*', async () => {
      throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'application/json or application/x-ndjson' })
    })
    scope.post('/v1/check-results', { bodyLimit: maxBodyBytes, compress: false, config: { access: 'ingest', doc } }, async (request) => {
      const { account } = callerOf(request)
      const body = await decodeBody(bytesOf(request), request.headers['content-encoding']?.trim().toLowerCase() || 'identity')
      const outcome = await ingest(account.id, bodyRows(body, formatOf(request)), { catalogue, store, now: clock.now() })
      return { ...outcome, rejected: outcome.rejected.map(({ at, code, message }) => ({ index: at, code, message })) }
    })
  })
}

const keepBytes = async (_: FastifyRequest, body: Buffer) => body

function bytesOf({ body }: FastifyRequest): Buffer {
  if (!(body instanceof Buffer) || body.length === 0) throw apiError('INVALID_BODY', { reason: 'The body is empty.' })
  return body
}

function formatOf({ headers }: FastifyRequest): BodyFormat {
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return mediaType === 'application/json' ? 'array' : 'lines'
}

const doc: Doc = {
  group: 'Results in',
  summary: 'Store results',
  description: [
    `A JSON array, or one result per line as application/x-ndjson; plain or with Content-Encoding: gzip; up to ${bodyLimits.rows} or`,
    `${bodyLimits.bytes} unpacked. Rows may be of several checks. A row has the property names of a raw report row and its checkId.`,
    'A bad row harms no other. Sending the same rows again is safe: a result whose id is known already changes nothing.',
  ].join(' '),
  body: {
    description: 'The results.',
    mediaType: 'application/json',
    schema: { type: 'array', items: { type: 'object', required: ['checkId', 'startedAt'], additionalProperties: true } },
    example: [
      { checkId: 'homepage', startedAt: '2026-11-14T10:00:00.123Z', runLocation: 'eu-west-1', hasFailures: false, responseTime: 129.7 },
    ],
  },
  answer: {
    description: 'Everything accepted is on disk.',
    schema: {
      type: 'object',
      required: ['accepted', 'duplicates', 'rejected'],
      properties: {
        accepted: { type: 'integer' },
        duplicates: { type: 'integer' },
        rejected: {
          type: 'array',
          items: {
            type: 'object',
            required: ['index', 'code', 'message'],
            properties: { index: { type: 'integer' }, code: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
    example: { accepted: 1, duplicates: 0, rejected: [] },
  },
  errors: ['INVALID_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'UNAVAILABLE'],
}
