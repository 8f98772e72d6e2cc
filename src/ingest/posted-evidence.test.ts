import { deflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { anyRunType } from '../../test/support/example-config.ts'
import { decodeEvidence, type Evidence, encodeEvidence } from '../store/evidence.ts'
import { decodeWithinBudget } from './decode-evidence.ts'
import { evidenceReader, type PostedEvidence, withEvidence } from './posted-evidence.ts'
import { readRows } from './read-rows.ts'
import { rowReader } from './row.ts'

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

type More = { readonly mode?: 'failures' | 'all' | 'none'; readonly hasFailures?: boolean; readonly evidenceBytes?: number }

/** Reads a row for each posted evidence; an object replaces the whole row. */
async function readAll(posted: readonly unknown[], { mode = 'failures', hasFailures = true, evidenceBytes = 16_384 }: More = {}) {
  const reader = rowReader({ account: 'acme', now, cardinality: null, location: 'eu', typeOf: () => anyRunType() })
  const found: PostedEvidence[] = []
  const withPosted = (evidence: unknown) => ({ ...row, hasFailures, ...(evidence !== undefined && { evidence }) })
  const values = posted.map((each) => (typeof each === 'object' ? each : withPosted(each)))
  const rows = readRows(
    values.map((value, at) => ({ at, value })),
    evidenceReader(reader, () => ({ ...limits, evidenceBytes, mode }), found),
  )
  return withEvidence(rows, found, async (jobs) => decodeWithinBudget(jobs))
}

async function read(posted: unknown, more: More = {}) {
  const { filed, rejected } = await readAll([posted], more)
  return filed[0] ?? rejected[0]
}

const encoded = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('base64')
const asPosted = (given: Evidence) => encoded(encodeEvidence(given, { evidenceBytes: 1e6, screenshotBytes: 1e6 }))
const stored = async (posted: unknown, more: More = {}) => {
  const found = await read(posted, more)
  return found && 'evidence' in found && found.evidence ? decodeEvidence(found.evidence) : found
}

test('evidence is stored as posted', async () => {
  expect(await stored(asPosted(evidence))).toEqual(evidence)
})

test('a row without evidence is read like any other', async () => {
  expect(await read(undefined)).toMatchObject({ check: { checkId: 'one' } })
  expect(await read(undefined)).not.toHaveProperty('evidence')
})

test.each([
  ['none', true],
  ['failures', false],
] as const)('with mode %s, evidence of a result with hasFailures %s is not kept', async (mode, hasFailures) => {
  const found = await read(asPosted(evidence), { mode, hasFailures })
  expect(found).toMatchObject({ result: { hasFailures } })
  expect(found).not.toHaveProperty('evidence')
})

test('evidence beyond the limits of the server is cut', async () => {
  const large = { attempts: evidence.attempts, screenshot: Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(2000)]) }
  expect(await stored(asPosted(large))).toEqual({ ...evidence, screenshot: null })
  expect(await read(asPosted(evidence), { evidenceBytes: 10 })).not.toHaveProperty('evidence')
})

const details = (value: unknown) => {
  const bytes = deflateRawSync(typeof value === 'string' ? value : JSON.stringify(value))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return encoded(Buffer.concat([length, bytes]))
}

test.each([
  ['not a text', 12],
  ['empty', ''],
  ['not deflated', encoded(Buffer.from('nonsense'))],
  ['not JSON', details('{')],
  ['of another shape', details([{ startedAt: 'yesterday' }])],
  ['larger than a million bytes once inflated', details([{ ...evidence.attempts[0], error: 'x'.repeat(2_000_000) }])],
  ['larger before it is inflated than what an agent sends', encoded(Buffer.concat([Buffer.from([0, 0, 2, 0]), Buffer.alloc(131_072)]))],
  ['shorter than it says', encoded(Buffer.from([255, 255, 0, 0, 1, 2, 3]))],
  ['a picture that is no JPEG', asPosted({ ...evidence, screenshot: Buffer.from('<svg>') })],
])('evidence that is %s is rejected', async (_, posted) => {
  expect(await stored(posted)).toMatchObject({ code: 'INVALID_PROPERTY', message: expect.stringContaining('evidence must be') })
})

test('evidence that is not kept is not decoded', async () => {
  expect(await read('nonsense', { mode: 'none' })).toMatchObject({ check: { checkId: 'one' } })
})

test('rows with invalid evidence are rejected in the order of the body, and the others are stored', async () => {
  const { filed, rejected } = await readAll([asPosted(evidence), 'nonsense', undefined, {}, 12, {}, asPosted(evidence)])
  expect(rejected.map(({ at }) => at)).toEqual([1, 3, 4, 5])
  expect(filed.map((one) => one.evidence !== undefined)).toEqual([true, false, true])
})

const bomb = details([{ ...evidence.attempts[0], error: 'x'.repeat(1_000_000) }])
const invalidBomb = details([{ error: 'x'.repeat(1_000_000) }])

test.each([
  ['valid', bomb, 200, 0],
  ['invalid', invalidBomb, 200 - 8, 8],
])(
  'a body of 200 rows with %s evidence that inflates to a megabyte each is decoded up to 8 MiB',
  async (_, posted, filedCount, rejectedCount) => {
    const { filed, rejected } = await readAll(Array.from({ length: 200 }, () => posted))
    expect(filed).toHaveLength(filedCount)
    expect(rejected).toHaveLength(rejectedCount)
    expect(filed.filter((one) => one.evidence !== undefined).length).toBeLessThanOrEqual(8)
  },
)
