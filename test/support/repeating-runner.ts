import { type RunnerTestCase as Test, TestRunner } from 'vitest'

/**
 * Runs each test that has a retry twice, without the retry. A test that cannot pass twice on the same fixtures could not pass on its retry
 * either.
 */
export default class RepeatingRunner extends TestRunner {
  override onBeforeRunTask(test: Test) {
    if (test.retry) Object.assign(test, { repeats: 1, retry: 0 })
    return super.onBeforeRunTask(test)
  }
}
