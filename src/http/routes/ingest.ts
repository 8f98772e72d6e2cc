import type { FastifyRequest } from 'fastify'
import type { ServiceSettings } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { type BodyFormat, bodyLimits, decodeBody, maxBodyBytes } from '../../ingest/body.ts'
import { keep, type Outcome, readBodyOf } from '../../ingest/ingest.ts'
import { authenticate } from '../hooks/auth.ts'
import type { RateLimit } from '../hooks/rate-limit.ts'
import { safeHeaders } from '../hooks/safe-headers.ts'
import type { PlainRequest } from '../plain-request.ts'
import { type Caller, callerOf, type Deps, type Doc, type Routes } from '../route.ts'
import { headerLines, type Shortcut } from '../shortcut.ts'

const path = '/v1/check-results'
const lineTypes = ['application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonlines']
const formats = new Map<string, BodyFormat>([['application/json', 'array'], ...lineTypes.map((type) => [type, 'lines'] as const)])

/** Takes results in. */
export const ingestRoutes: Routes = async (app, { catalogue, store, clock }) => {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser([...formats.keys()], { parseAs: 'buffer', bodyLimit: maxBodyBytes }, keepBytes)
    scope.addContentTypeParser('*', async () => {
      throw apiError('UNSUPPORTED_MEDIA_TYPE', { expected: 'application/json or application/x-ndjson' })
    })
    scope.post(path, { bodyLimit: maxBodyBytes, compress: false, config: { access: 'ingest', doc } }, async (request) => {
      const body = await decodeBody(bytesOf(request), request.headers['content-encoding']?.trim().toLowerCase() || 'identity')
      const rows = readBodyOf(callerOf(request).account.id, { body, format: formatOf(request) }, { catalogue, now: clock.now() })
      return (await keep([rows], store)).map(told)[0]
    })
  })
}

/** For those who post a few results at a time, and often: most of what such a post costs is HTTP. */
export function ingestShortcut({ catalogue, store, clock }: Deps, countRequest: RateLimit): Shortcut {
  const [safe, type] = [headerLines(safeHeaders), headerLines({ 'content-type': 'application/json; charset=utf-8' })]
  const known = new WeakMap<PlainRequest['headers'], { readonly service: ServiceSettings; readonly caller: Caller | null }>()
  const callerBy = (headers: PlainRequest['headers']): Caller | null => {
    const service = catalogue.service()
    const found = known.get(headers)
    if (found?.service === service) return found.caller
    const caller = authenticate(headers, 'ingest', catalogue)
    known.set(headers, { service, caller })
    return caller
  }
  const read = ({ headers, body }: PlainRequest) => {
    const caller = callerBy(headers)
    const format = formats.get(headers['content-type'] ?? '')
    if (!caller || !format || body.length === 0) return null
    const rows = readBodyOf(caller.account.id, { body, format }, { catalogue, now: clock.now() })
    const { headers: limits, exceeded, takeBack } = countRequest(caller)
    if (exceeded) takeBack()
    return exceeded ? null : { rows, headers: safe + headerLines(limits) + type, takeBack }
  }
  return {
    line: `POST ${path} HTTP/1.1\r\n`,
    async answer(requests) {
      const together = requests.map((request) => orNull(() => read(request)))
      const posts = together.filter((post) => post !== null)
      const reads = posts.map(({ rows }) => rows)
      const outcomes = await keep(reads, store).catch((problem) => {
        for (const { takeBack } of posts) takeBack()
        throw problem
      })
      let next = 0
      return together.map((post) => post && { headers: post.headers, body: JSON.stringify(told(outcomes[next++] as Outcome)) })
    },
  }
}

/** Null where it fails: why, the long way will tell. */
function orNull<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch {
    return null
  }
}

function told({ accepted, duplicates, rejected }: Outcome) {
  return { accepted, duplicates, rejected: rejected.map(({ at, code, message }) => ({ index: at, code, message })) }
}

const keepBytes = async (_: FastifyRequest, body: Buffer) => body

function bytesOf({ body }: FastifyRequest): Buffer {
  if (!(body instanceof Buffer) || body.length === 0) throw apiError('INVALID_BODY', { reason: 'The body is empty.' })
  return body
}

function formatOf({ headers }: FastifyRequest): BodyFormat {
  return formats.get(headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '') ?? 'lines'
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
