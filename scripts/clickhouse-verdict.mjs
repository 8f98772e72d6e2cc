/**
 * The outcome of a test run in words, and whether it fails the whole job. Failures of an engine on trial do not fail the job. A run that
 * was stopped by the time limit fails the job only if a test had failed before, or if the run must finish.
 */
export function verdictOf({ status, isStopped, failed }, { isTrial = false, mustFinish = false } = {}) {
  const passed = status === 0
  const hasFailed = failed.length > 0 || !(passed || isStopped)
  return { passed, fails: !isTrial && (hasFailed || (isStopped && mustFinish)), words: wordsOf() }

  function wordsOf() {
    if (passed) return 'Passed'
    const trial = isTrial ? ', on trial,' : ''
    if (!isStopped) return `Failed${trial}`
    const stopped = 'Stopped when its time was over'
    if (hasFailed) return `${stopped}, and failed${trial} before (${failed.join('; ')})`
    return mustFinish ? `${stopped}, but has to pass,` : stopped
  }
}
