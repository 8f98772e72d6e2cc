import { expect, test } from 'vitest'
import { checkOf, checkTypeOf, failed, passed, testProbe } from '../../test/support/checks.ts'
import { recordingLog } from '../../test/support/log.ts'
import type { Check } from '../catalogue/catalogue.ts'
import { createRunnerStats } from '../stats/server-stats.ts'
import { decodeEvidence } from '../store/evidence.ts'
import type { FiledResult } from '../store/store.ts'
import { createActiveRuns } from './active-runs.ts'
import type { RunEnvironment } from './attempt.ts'
import { systemClock } from './clock.ts'

const concurrency = { light: 100, slow: 0, heavy: 1 }
const log = recordingLog()

test('a run that fails is stored with its evidence, where failures have it', async () => {
  const stored: FiledResult[] = []
  const environment: RunEnvironment = {
    probe: testProbe,
    addresses: { allow: [], deny: [] },
    clock: systemClock,
    onBug: () => {},
    evidence: { mode: 'failures', evidenceBytes: 10_000, screenshotBytes: 0 },
  }
  const runs = createActiveRuns({ concurrency, clock: systemClock, log, put: (filed) => stored.push(filed), stats: createRunnerStats() })
  for (const taken of [failed, passed]) {
    const check = checkOf(
      'homepage',
      checkTypeOf(async () => taken),
    )
    runs.start({ check, runLocation: 'eu', slotAt: 0 }, environment)
    await expect.poll(() => stored.at(-1)?.result.error).toBe(taken.failure)
  }
  expect(stored.map(({ evidence }) => (evidence ? decodeEvidence(evidence).attempts.map(({ error }) => error) : null))).toEqual([
    [failed.failure],
    null,
  ])
})

test('cancelling a check aborts its runs at all locations, without reading those of other checks', async () => {
  const aborted: string[] = []
  const hanging = checkTypeOf(({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))))
  let reads = 0
  const counted = (id: string): Check =>
    Object.defineProperty(checkOf(id, hanging), 'id', {
      enumerable: true,
      get() {
        reads++
        return id
      },
    })
  const environment: RunEnvironment = {
    probe: (attempt) => testProbe(attempt).finally(() => aborted.push(attempt.key)),
    addresses: { allow: [], deny: [] },
    clock: systemClock,
    onBug: () => {},
    evidence: { mode: 'none', evidenceBytes: 0, screenshotBytes: 0 },
  }
  const runs = createActiveRuns({ concurrency, clock: systemClock, log, put: () => {}, stats: createRunnerStats() })
  const checks = Array.from({ length: 20 }, (_, i) => counted(`check-${i}`))
  for (const check of checks) for (const runLocation of ['eu', 'us']) runs.start({ check, runLocation, slotAt: 0 }, environment)
  await new Promise(setImmediate)
  reads = 0
  runs.cancel({ account: 'acme', id: 'check-3' })
  expect(reads).toBe(0)
  await expect.poll(() => aborted).toEqual(['["acme","check-3"]', '["acme","check-3"]'])
  await runs.close(0)
  expect(aborted).toHaveLength(40)
})
