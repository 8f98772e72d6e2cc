/**
 * What a run of tests says, and whether it fails the whole. What fails on an engine on trial is told and does not decide, nor do tests that time has stopped, but
 * for those that failed before it did, and where they must finish.
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
