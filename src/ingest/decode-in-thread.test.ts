// @slow
import { expect, onTestFinished, test } from 'vitest'
import { importBuilt } from '../../test/support/built.ts'
import { recordingLog } from '../../test/support/log.ts'
import { encodeEvidence } from '../store/evidence.ts'

const { openEvidenceThread } = await importBuilt<typeof import('./decode-in-thread.ts')>('ingest/decode-in-thread.ts')

const limits = { evidenceBytes: 16_384, screenshotBytes: 1000 }
const attempt = { startedAt: 1, error: 'closed', assertions: [], response: null, steps: [], messages: ['hello'] }
const encoded = encodeEvidence({ attempts: [attempt], screenshot: null }, limits) ?? new Uint8Array()
const job = { ...limits, posted: Buffer.from(encoded).toString('base64') }

test('evidence is decoded in a thread, one body at a time', async () => {
  const log = recordingLog()
  const { decode, close } = openEvidenceThread(log)
  onTestFinished(close)
  expect(await Promise.all([decode([job, { ...job, posted: 'nonsense' }]), decode([job])])).toEqual([[encoded, 'invalid'], [encoded]])
  expect(log.entries).toEqual([])
})

test('a body is refused while too many wait', async () => {
  const { decode, close } = openEvidenceThread(recordingLog())
  onTestFinished(close)
  const answers = await Promise.allSettled(Array.from({ length: 60 }, () => decode([job])))
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  expect(refused.length).toBeGreaterThan(0)
  for (const reason of refused) expect(reason).toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 5 })
  expect(await decode([job])).toEqual([encoded])
})
