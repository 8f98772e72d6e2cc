import { appendFileSync } from 'node:fs'
import { hasApt, isRoot, missingPackages } from './needs.mjs'

/**
 * Ends a run with the tests that needed their retry, each with its first error, and with those that were skipped for what the machine lacks; with TIDEMARK_TEST_REQUIRE
 * the latter fail the run. Where several runs make one, each writes that into the file TIDEMARK_TEST_ENDING in place of its output. What fails is written into the file
 * TIDEMARK_TEST_FAILED at once, since a run that is stopped has no end.
 */
export const endReporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed') noteFailed(`${test.module.relativeModuleId} > ${test.fullName}`)
  },
  /** Also one that cannot be loaded, which has no tests. */
  onTestModuleEnd(testModule) {
    if (testModule.errors().length > 0) noteFailed(testModule.relativeModuleId)
  },
  onTestRunEnd(testModules) {
    const tests = testModules.flatMap((testModule) => [...testModule.children.allTests()])
    const retried = tests.filter((test) => test.diagnostic()?.retryCount > 0)
    for (const test of retried) say(`Needed its retry: ${test.module.relativeModuleId} > ${test.fullName}${firstErrorOf(test)}`)
    const lacking = tests
      .filter((test) => test.result().state === 'skipped')
      .map(missingOf)
      .filter((words) => words !== undefined)
    if (lacking.length === 0) return
    say(paragraph(lacking))
    if (process.env.TIDEMARK_TEST_REQUIRE) process.exitCode = 1
  },
}

function say(words) {
  const { TIDEMARK_TEST_ENDING: file } = process.env
  if (file) appendFileSync(file, `${words}\n`)
  else console.log(words)
}

function noteFailed(name) {
  const { TIDEMARK_TEST_FAILED: file } = process.env
  if (file) appendFileSync(file, `${name.replaceAll('\n', ' ')}\n`)
}

function firstErrorOf(test) {
  const [error] = test.result().errors ?? []
  return error ? `\n  ${error.message.slice(0, 500).trim().replaceAll('\n', '\n  ')}` : ''
}

/** Why a test was skipped: its own reason, or that of the suite around it. */
function missingOf(task) {
  return task.type === 'module' ? undefined : (task.meta().missing ?? missingOf(task.parent))
}

function paragraph(lacking) {
  const counted = [...new Set(lacking)].map((words) => `${lacking.filter((other) => other === words).length} since ${words}`)
  const required = process.env.TIDEMARK_TEST_REQUIRE ? ' Here all of them are required, so this run has failed.' : ''
  const tests = lacking.length === 1 ? '1 test was' : `${lacking.length} tests were`
  return `${tests} skipped for what this machine lacks: ${counted.join('; ')}.${required}\n${howToRun()}\n`
}

function howToRun() {
  const packages = missingPackages()
  if (packages.length === 0) return 'Once that is mended, npm test runs them.'
  if (!hasApt) return `Install what is missing (Debian calls it ${packages.join(', ')}), and npm test runs them.`
  return `To run them, too: ${isRoot ? '.ci/run' : `sudo apt-get install -y ${packages.join(' ')} && npm test`}`
}
