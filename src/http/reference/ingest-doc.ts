import { bodyLimits } from '../../ingest/body.ts'
import type { Doc } from '../route.ts'

export const ingestDoc: Doc = {
  group: 'Results in',
  summary: 'Store results',
  description: [
    `A JSON array, or one result per line as application/x-ndjson; plain or with Content-Encoding: gzip; up to ${bodyLimits.rows} or`,
    `${bodyLimits.bytes} decompressed. Rows may belong to several checks. A row has the property names of a raw report row and its checkId.`,
    'An invalid row does not affect others. Sending rows again is safe: duplicates are skipped.',
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
