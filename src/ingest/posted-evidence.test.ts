import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { anyRunType } from '../../test/support/example-config.ts'
import { decodeEvidence, type Evidence, encodeEvidence } from '../store/evidence.ts'
import { evidenceReader } from './posted-evidence.ts'
import { isRejection, rowReader } from './row.ts'

const now = Date.UTC(2026, 10, 14, 12)
const limits = { evidenceBytes: 16_384, screenshotBytes: 1000 }
const evidence: Evidence = {
  attempts: [
    {
      startedAt: now,
      error: 'status 503, expected 200',
      assertions: [{ text: 'status = 200', passed: false, actual: '503' }],
      response: { status: 503, headers: [{ name: 'server', value: 'shop' }], body: 'closed', truncated: false },
      steps: [{ title: 'open', durationMs: 12.5, error: null }],
      messages: ['hello'],
    },
  ],
  screenshot: new Uint8Array([0xff, 0xd8, 1, 2, 3]),
}
const row = { checkId: 'one', startedAt: now, runLocation: 'eu', hasFailures: true }

function read(posted: unknown, more: { readonly mode?: 'failures' | 'all' | 'none'; readonly hasFailures?: boolean } = {}) {
  const { mode = 'failures', hasFailures = true } = more
  const reader = rowReader({ account: 'acme', now, cardinality: null, location: 'eu', typeOf: () => anyRunType() })
  return evidenceReader(reader, () => ({ ...limits, mode })).read({
    ...row,
    hasFailures,
    ...(posted !== undefined && { evidence: posted }),
  })
}

const encoded = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64')
const asPosted = (given: Evidence) => encoded(encodeEvidence(given, { evidenceBytes: 1e6, screenshotBytes: 1e6 }))
const stored = (posted: unknown, more = {}) => {
  const found = read(posted, more)
  return isRejection(found) || !found.evidence ? found : decodeEvidence(found.evidence)
}

test('evidence is stored as it was posted', () => {
  expect(stored(asPosted(evidence))).toEqual(evidence)
})

test('a row without evidence is read as any other', () => {
  expect(read(undefined)).toMatchObject({ check: { checkId: 'one' } })
  expect(read(undefined)).not.toHaveProperty('evidence')
})

test.each([
  ['none', true],
  ['failures', false],
] as const)('with mode %s, that of a result with failures: %s is left out', (mode, hasFailures) => {
  const found = read(asPosted(evidence), { mode, hasFailures })
  expect(found).toMatchObject({ result: { hasFailures } })
  expect(found).not.toHaveProperty('evidence')
})

test('what is beyond the limits of the server is cut', () => {
  const large = { attempts: evidence.attempts, screenshot: Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2000)]) }
  expect(stored(asPosted(large))).toEqual({ ...evidence, screenshot: null })
})

const details = (value: unknown) => {
  const bytes = deflateRawSync(typeof value === 'string' ? value : JSON.stringify(value))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return encoded(Buffer.concat([length, bytes]))
}

test.each([
  ['no text', 12],
  ['empty', ''],
  ['no deflated bytes', encoded(Buffer.from('nonsense'))],
  ['no JSON', details('{')],
  ['another shape', details([{ startedAt: 'yesterday' }])],
  ['larger than a million bytes once inflated', details([{ ...evidence.attempts[0], error: 'x'.repeat(2_000_000) }])],
  ['a picture that is no JPEG', asPosted({ ...evidence, screenshot: Buffer.from('<svg>') })],
])('evidence that is %s is rejected', (_, posted) => {
  expect(stored(posted)).toMatchObject({ code: 'INVALID_PROPERTY', message: expect.stringContaining('evidence must be') })
})
