import { bundlePrefix, isCodeBundle } from '../../checks/probe/playwright/code-bundle.ts'
import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { bytesOf, passBytes } from '../input/byte-body.ts'
import { readParams } from '../input/params.ts'
import { bundleKeySchema } from '../reference/managed-schemas.ts'
import { type Doc, type Routes, unusedBodyErrors } from '../route.ts'

const maxUploadBytes = 16 * 2 ** 20
const octets = 'application/octet-stream'

/** Uploads that clients make before they deploy. */
export const codeBundleRoutes: Routes = async (app, { catalogue, uploads }) => {
  await app.register(async (scope) => {
    scope.addContentTypeParser(octets, { parseAs: 'buffer', bodyLimit: maxUploadBytes }, passBytes)

    scope.post(
      '/next/checkly-storage/upload-code-bundle',
      { bodyLimit: maxUploadBytes, config: { access: 'write', doc: bundleDoc } },
      async (request) => {
        readParams({}, request.query)
        if (!catalogue.service().allowUploadedCode) throw apiError('CODE_NOT_ALLOWED')
        const archive = bytesOf(request)
        const checksum = request.headers['x-bundle-checksum-sha256']
        const packed = await uploads.pack(archive, typeof checksum === 'string' ? checksum : null)
        if ('problem' in packed) throw apiError('INVALID_BUNDLE', { reason: packed.problem })
        return { key: packed.bundle, contentLength: archive.length, checksumSha256: packed.checksumSha256 }
      },
    )

    scope.post('/next/checkly-storage/upload', { bodyLimit: maxUploadBytes, config: { access: 'write', doc: snapshotDoc } }, async () => {
      throw apiError('NO_SNAPSHOTS')
    })
  })

  app.post(
    '/next/checkly-storage/peek-code-bundle',
    { bodyLimit: 1_048_576, config: { access: 'write', doc: peekDoc } },
    async (request) => {
      readParams({}, request.query)
      const { key } = isMapping(request.body) ? request.body : {}
      if (!isCodeBundle(key)) throw apiError('BUNDLE_NOT_FOUND')
      return { key, contentLength: key.length, checksumSha256: '' }
    },
  )
}

const group = 'Projects'
const archive = { mediaType: octets, schema: { type: 'string', format: 'binary' } }
const bundleDoc: Doc = {
  group,
  summary: 'Upload the files of a Playwright suite',
  description:
    'A tar archive, compressed with gzip. Nothing is stored: `key` contains the files and is used as `codeBundlePath` of a check. Requires `allowUploadedCode: true` in the config file.',
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
  summary: 'Check the key of a bundle',
  description: 'For clients that reuse a bundle. The key contains the files, so nothing is looked up, and the archive checksum is unknown.',
  query: {},
  body: {
    description: 'The key.',
    mediaType: 'application/json',
    schema: { type: 'object', required: ['key'], properties: { key: { type: 'string' } } },
    example: { key: `${bundlePrefix}H4sIAAAAAAAAA4uOBQApu0wNAgAAAA` },
  },
  answer: { description: 'It is.', schema: bundleKeySchema },
  errors: ['BUNDLE_NOT_FOUND', ...unusedBodyErrors],
}
