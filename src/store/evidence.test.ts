import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type AttemptEvidence, decodeEvidence, decodeMeasured, type Evidence, encodeEvidence } from './evidence.ts'

const limits = { evidenceBytes: 16_384, screenshotBytes: 1000 }
const attempt: AttemptEvidence = {
  startedAt: 1_700_000_000_000,
  error: 'status 503, expected 200',
  assertions: [{ text: 'status equals 200', passed: false, actual: '503' }],
  response: { status: 503, headers: [{ name: 'server', value: 'nginx' }], body: '<h1>Sorry</h1>', truncated: false },
  steps: [{ title: 'log in', durationMs: 12.5, error: null }],
  messages: ['consoleErrors: oops'],
}
const withBody = (body: string): Evidence => ({
  attempts: [{ ...attempt, response: { status: 200, headers: [], body, truncated: false } }],
  screenshot: null,
})

function stored(evidence: Evidence, more: Partial<typeof limits> = {}): Evidence | null {
  const bytes = encodeEvidence(evidence, { ...limits, ...more })
  return bytes && decodeEvidence(bytes)
}

test('evidence is read back as stored', () => {
  const evidence = { attempts: [attempt, { ...attempt, error: null, response: null }], screenshot: Uint8Array.of(1, 2, 3) }
  expect(stored(evidence)).toEqual(evidence)
  expect(stored({ attempts: [], screenshot: null })).toEqual({ attempts: [], screenshot: null })
})

test('evidence does not exceed its limit when compressed: long texts and lists are truncated', () => {
  const messages = Array.from({ length: 300 }, () => randomBytes(300).toString('hex'))
  const evidence = { attempts: [{ ...attempt, messages }], screenshot: null }
  const bytes = encodeEvidence(evidence, limits)
  expect(bytes?.length).toBeLessThanOrEqual(limits.evidenceBytes + 4)
  const [kept] = (bytes && decodeEvidence(bytes))?.attempts ?? []
  expect(kept).toMatchObject({ error: attempt.error, assertions: attempt.assertions })
  expect(kept?.messages.length).toBeGreaterThan(3)
})

test('well compressible text is truncated later', () => {
  const bodyOf = (text: string) => stored(withBody(text), { evidenceBytes: 1500 })?.attempts[0]?.response?.body?.length ?? 0
  expect(bodyOf('a'.repeat(8000))).toBe(8000)
  expect(bodyOf(randomBytes(4000).toString('hex'))).toBeLessThan(3000)
})

test('a screenshot has a separate limit', () => {
  const withScreenshot = { attempts: [attempt], screenshot: randomBytes(1001) }
  expect(stored(withScreenshot)).toEqual({ attempts: [attempt], screenshot: null })
  expect(stored(withScreenshot, { screenshotBytes: 1001 })?.screenshot).toHaveLength(1001)
})

test('nothing is kept if nothing fits', () => {
  expect(encodeEvidence({ attempts: [attempt], screenshot: null }, { ...limits, evidenceBytes: 10 })).toBeNull()
})

test('well compressible evidence is truncated too, so that it never inflates beyond a mebibyte', () => {
  const repeated = { ...attempt, messages: Array.from({ length: 512 }, () => 'x'.repeat(8000)) }
  const bytes = encodeEvidence({ attempts: [repeated], screenshot: null }, { evidenceBytes: 1_000_000, screenshotBytes: 0 })
  expect(bytes && decodeMeasured(bytes, 1024 * 1024).evidence.attempts).toHaveLength(1)
})
