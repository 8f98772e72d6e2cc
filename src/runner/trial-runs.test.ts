import { once } from 'node:events'
import { expect, test } from 'vitest'
import { testCatalogue } from '../../test/support/catalogue.ts'
import { checkOf, checkTypeOf, failed, passed, type Taken, testProbe } from '../../test/support/checks.ts'
import { recordingLog } from '../../test/support/log.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import type { EvidenceMode } from '../catalogue/catalogue.ts'
import type { RunContext } from '../checks/probe/run.ts'
import { createTrialRuns } from './trial-runs.ts'

const start = Date.UTC(2026, 10, 14, 10)
const retry = { strategy: 'linear', baseBackoffMs: 1000, maxRetries: 2, onlyOnNetworkErrors: false } as const

function setUp(run: (context: RunContext) => Promise<Taken>, heavy = false, evidence: EvidenceMode | null = null) {
  const check = checkOf('shop', checkTypeOf(run, heavy), { retry, evidence })
  const options = { catalogue: testCatalogue({ checks: [check] }), clock: virtualClock(start), log: recordingLog(), probe: testProbe }
  const runTrial = createTrialRuns(options)
  const abort = new AbortController()
  return { abort, runTrial: () => runTrial(check, abort.signal) }
}

const untilAborted = async ({ signal }: RunContext): Promise<Taken> => {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

test('a trial is one attempt, even if the check retries', async () => {
  let attempts = 0
  const { runTrial } = setUp(async () => (attempts++ === 0 ? failed : passed))
  expect(await runTrial()).toMatchObject({ result: { startedAt: start, attempts: 1, hasFailures: true } })
})

test('a trial has its evidence, even if the check keeps none', async () => {
  const notes = ['redirected']
  const { runTrial } = setUp(async () => ({ ...passed, notes }), false, 'none')
  expect(await runTrial()).toMatchObject({ evidence: { attempts: [{ startedAt: start, error: null, messages: notes }], screenshot: null } })
})

test('a trial that is aborted has no result', async () => {
  const { abort, runTrial } = setUp(untilAborted)
  const trial = runTrial()
  abort.abort()
  expect(await trial).toEqual({ aborted: true })
})

test('a trial that this machine cannot run has a reason', async () => {
  const { runTrial } = setUp(async () => ({ ...failed, exhausted: 'this process has too many open files' }))
  expect(await runTrial()).toEqual({ notMade: 'this process has too many open files' })
})

test.each([
  [10, false],
  [1, true],
])('up to %i trials run at a time if heavy is %s', async (limit, heavy) => {
  const { abort, runTrial } = setUp(untilAborted, heavy)
  const trials = Array.from({ length: limit }, runTrial)
  expect(await runTrial()).toEqual({ busy: true })
  abort.abort()
  expect(await Promise.all(trials)).toEqual(Array(limit).fill({ aborted: true }))
})
