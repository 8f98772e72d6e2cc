import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { apiError } from '../../errors.ts'
import { readParams } from '../input/params.ts'
import { bundleKeySchema } from '../reference/managed-schemas.ts'
import { type Doc, type Routes, unusedBodyErrors } from '../route.ts'

const maxUploadBytes = 16 * 2 ** 20
const octets = 'application/octet-stream'

/** Uploads of clients before they deploy. */
export const codeBundleRoutes: Routes = async (app, { catalogue, uploads }) => {
  await app.register(async (scope) => {
    scope.addContentTypeParser(octets, { parseAs: 'buffer', bodyLimit: maxUploadBytes }, async (_: FastifyRequest, body: Buffer) => body)

    scope.post(
      '/next/checkly-storage/upload-code-bundle',
      { bodyLimit: maxUploadBytes, config: { access: 'write', doc: bundleDoc } },
      async (request) => {
        readParams({}, request.query)
        if (!catalogue.service().allowUploadedCode) throw apiError('CODE_NOT_ALLOWED')
        const archive = bytesOf(request)
        const packed = await uploads.pack(archive)
        if ('problem' in packed) throw apiError('INVALID_BUNDLE', { reason: packed.problem })
        return { key: packed.bundle, contentLength: archive.length, checksumSha256: hash('sha256', archive) }
      },
    )

    scope.post('/next/checkly-storage/upload', { bodyLimit: maxUploadBytes, config: { access: 'write', doc: snapshotDoc } }, async () => {
      throw apiError('NO_SNAPSHOTS')
    })
  })

  app.post('/next/checkly-storage/peek-code-bundle', { bodyLimit: 1_048_576, config: { access: 'write', doc: peekDoc } }, async () => {
    throw apiError('BUNDLE_NOT_FOUND')
  })
}

function bytesOf(request: FastifyRequest): Buffer {
  const { body, headers } = request
  if (!(body instanceof Buffer) || body.length === 0) throw apiError('INVALID_BODY', { reason: 'The body is empty.' })
  const wanted = headers['x-bundle-checksum-sha256']
  const isWhole = wanted === undefined || [hash('sha256', body), hash('sha256', body, 'base64')].includes(String(wanted))
  if (!isWhole) throw apiError('INVALID_BUNDLE', { reason: 'its checksum is another one than the header says' })
  return body
}

const group = 'Projects'
const archive = { mediaType: octets, schema: { type: 'string', format: 'binary' } }
const bundleDoc: Doc = {
  group,
  summary: 'Upload the files of a Playwright suite',
  description:
    'A tar archive, compressed with gzip. Nothing is stored: `key` holds the files, and is what `codeBundlePath` of a check has. Needs `allowUploadedCode: true` of the config file.',
  body: { description: 'The archive.', ...archive },
  answer: { description: 'The key of the bundle.', schema: bundleKeySchema },
  errors: ['CODE_NOT_ALLOWED', 'INVALID_BUNDLE', 'UNAVAILABLE', ...unusedBodyErrors],
}
const snapshotDoc: Doc = {
  group,
  summary: 'Upload a snapshot of a browser check: not supported',
  body: { description: 'The picture.', ...archive },
  answer: { description: 'Never.' },
  errors: ['NO_SNAPSHOTS', ...unusedBodyErrors],
}
const peekDoc: Doc = {
  group,
  summary: 'Whether a bundle was uploaded before: never, since none are stored',
  answer: { description: 'Never.' },
  errors: ['BUNDLE_NOT_FOUND', ...unusedBodyErrors],
}
