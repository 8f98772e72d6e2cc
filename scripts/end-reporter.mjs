import { appendFileSync } from 'node:fs'
import { hasApt, isRoot, missingPackages } from './needs.mjs'

/**
 * Reports retried tests with their first error, and tests that were skipped because the machine lacks a requirement. With
 * TIDEMARK_TEST_REQUIRE, such skipped tests fail the run. If TIDEMARK_TEST_ENDING is set, the report goes to that file, to combine several
 * runs. Failures are written to the file TIDEMARK_TEST_FAILED immediately, because a killed run has no end.
 */
export const endReporter = {
  onTestCaseResult(test) {
    if (test.result().state === 'failed') noteFailed(`${test.module.relativeModuleId} > ${test.fullName}`)
  },
  /** Includes modules that cannot be loaded and thus have no tests. */
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

/** Why a test was skipped: its own reason, or that of an enclosing suite. */
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
