import { expect, test } from 'vitest'
import { verdictOf } from '../../scripts/clickhouse-verdict.mjs'

const passed = { status: 0, isStopped: false, failed: [] }
const failed = { status: 1, isStopped: false, failed: ['a.test.ts > adds'] }
const stopped = { status: 1, isStopped: true, failed: [] }
const stoppedAfterFailure = { status: 1, isStopped: true, failed: ['a.test.ts > adds'] }
/** For example, a thread could not be started. */
const broken = { status: 1, isStopped: false, failed: [] }

test.each([
  [passed, {}, false, 'Passed'],
  [failed, {}, true, 'Failed'],
  [broken, {}, true, 'Failed'],
  [stopped, {}, false, 'Stopped when its time was over'],
  [stoppedAfterFailure, {}, true, 'Stopped when its time was over, and failed before (a.test.ts > adds)'],
  [stopped, { mustFinish: true }, true, 'Stopped when its time was over, but has to pass,'],
  [passed, { mustFinish: true }, false, 'Passed'],
  [failed, { isTrial: true }, false, 'Failed, on trial,'],
  [stopped, { isTrial: true }, false, 'Stopped when its time was over'],
  [stoppedAfterFailure, { isTrial: true }, false, 'Stopped when its time was over, and failed, on trial, before (a.test.ts > adds)'],
])('tests that are %j on an engine that is %j', (run, engine, fails, words) => {
  expect(verdictOf(run, engine)).toEqual({ passed: run === passed, fails, words })
})
