import { type RunnerTestCase as Test, TestRunner } from 'vitest'

/** Runs each test that may be retried twice, without a retry: a test that passes once but not again on the same fixtures could not pass by its retry, either. */
export default class RepeatingRunner extends TestRunner {
  override onBeforeRunTask(test: Test) {
    if (test.retry) Object.assign(test, { repeats: 1, retry: 0 })
    return super.onBeforeRunTask(test)
  }
}
