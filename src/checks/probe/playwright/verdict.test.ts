import { expect, test } from 'vitest'
import type { ReportedTest } from './report.ts'
import { verdictOf } from './verdict.ts'

type Output = Parameters<typeof verdictOf>[0]

const one = (title: string, more: Partial<ReportedTest> = {}): ReportedTest => ({
  title,
  state: 'passed',
  durationMs: 12.4,
  error: null,
  annotations: [],
  printed: '',
  steps: [],
  screenshots: [],
  ...more,
})
const failed = (title: string, error: string) => one(title, { state: 'failed', error })
const skipped = one('later', { state: 'skipped' })

function verdict(tests: readonly ReportedTest[] | null, more: Partial<Output> = {}) {
  const report = tests && { durationMs: 1, tests, errors: [] }
  const ended = { how: 'exit', code: 0, output: '', truncated: false } as const
  return verdictOf({ report, ended, failures: [], timeoutMs: 30_000, clean: (text) => text.replaceAll('hunter2', '***'), ...more })
}
const failureOf = (...given: Parameters<typeof verdict>) => {
  const { failure, broken } = verdict(...given)
  return [failure, broken]
}
const ended = (how: 'exit' | 'timeout' | 'abort', output = '', code: number | null = null) => ({
  ended: { how, code, output, truncated: false },
})

test('a run passes if every test that ran passed', () => {
  expect(verdict([one('a'), skipped])).toEqual({
    failure: null,
    broken: false,
    assertions: [{ text: 'a', passed: true, actual: 'passed in 12 ms' }],
    notes: [],
    steps: [],
  })
})

test('a run that did not finish, or could not begin, is broken', () => {
  expect(failureOf([one('a')], ended('timeout'))).toEqual(['it did not end within 30,000 ms and was stopped', true])
  expect(failureOf([one('a')], ended('abort'))).toEqual(['the run was stopped before it ended', true])
  expect(failureOf(null, ended('exit', 'Error: no hunter2 here\n', 1))).toEqual(['Playwright could not run it: no *** here', true])
  expect(failureOf(null, ended('exit', '', 7))).toEqual(['Playwright could not run it: exit code 7', true])
  expect(failureOf([skipped])).toEqual(['no test ran: every test is skipped', true])
  const report = { durationMs: 1, tests: [one('a')], errors: ['Error: cannot find module\n    at load (x.js:1:1)', 'other'] }
  expect(failureOf([], { report })).toEqual(['cannot find module', true])
})

test('a failure has no title if only one test ran, and the number of failures if several ran', () => {
  expect(failureOf([failed('buy', 'Error: no hunter2'), skipped])).toEqual(['no ***', false])
  expect(failureOf([failed('buy', 'Error: no'), one('look')])).toEqual(['buy: no', false])
  expect(failureOf([one('look'), failed('buy', 'Error: no'), failed('pay', 'x')])).toEqual(['2 of 3 tests failed, first buy: no', false])
})

test('a failed test has precedence over errors outside of tests', () => {
  expect(failureOf([], { report: { durationMs: 1, tests: [failed('buy', 'no')], errors: ['other'] } })).toEqual(['no', false])
})

test('a missing requirement of a browser is reported', () => {
  expect(failureOf([failed('a', "browserType.launch: Executable doesn't exist at /x")])).toEqual([
    expect.stringMatching(/^browserType\.launch: there is no such browser on this machine: /),
    true,
  ])
  expect(failureOf([failed('a', 'browserType.launch: No usable sandbox!')])).toEqual([
    expect.stringMatching(/^browserType\.launch: Chromium has no sandbox here: allow user namespaces/),
    true,
  ])
})

test('an unreachable host breaks a run, with the reason for that host, or else for all', () => {
  const failures = [
    { host: 'a.example:443', reason: 'refused' },
    { host: 'b.example:8080', reason: 'timed out' },
    { host: 'c.example:80', reason: 'refused' },
  ]
  const notReached = (error: string, more = failures) => failureOf([failed('a', error)], { failures: more })
  expect(notReached('net::ERR_FAILED at https://a.example/')).toEqual(['net::ERR_FAILED at https://a.example/ (refused)', true])
  expect(notReached('net::ERR_FAILED at http://b.example:8080/')).toEqual(['net::ERR_FAILED at http://b.example:8080/ (timed out)', true])
  expect(notReached('socket hang up')).toEqual(['socket hang up (refused; timed out)', true])
  expect(notReached('socket hang up', [])).toEqual(['socket hang up', true])
  expect(notReached('expected 1 to be 2')).toEqual(['expected 1 to be 2', false])
  const four = ['1', '2', '3', '4'].map((reason) => ({ host: `${reason}.example:443`, reason }))
  expect(notReached('ECONNRESET', four)).toEqual(['ECONNRESET (1; 2; 3)', true])
})

test('output and unreachable hosts of a test are notes, its steps are kept, and all are redacted', () => {
  const steps = [
    { title: 'open hunter2', durationMs: 5, error: null },
    { title: 'pay', durationMs: 6, error: 'no hunter2' },
  ]
  const {
    notes,
    steps: kept,
    assertions,
  } = verdict([one('hunter2', { printed: 'one hunter2\n\n  \ntwo\n', steps }), failed('b', 'hunter2')], {
    failures: [{ host: 'hunter2.example:443', reason: 'refused' }],
  })
  expect(notes).toEqual(['not reached: ***.example:443, refused', 'one ***', 'two'])
  expect(kept).toEqual([
    { title: 'open ***', durationMs: 5, error: null },
    { title: 'pay', durationMs: 6, error: 'no ***' },
  ])
  expect(assertions).toEqual([
    { text: '***', passed: true, actual: 'passed in 12 ms' },
    { text: 'b', passed: false, actual: '***' },
  ])
})

test('long texts and lists are truncated only beyond the limit', () => {
  const step = (length: number) => ({ title: 'x'.repeat(length), durationMs: 1, error: 'y'.repeat(length + 300) })
  const tests = [
    one('t'.repeat(200), { printed: `${'p'.repeat(500)}\n${'p'.repeat(501)}\n${'line\n'.repeat(200)}`, steps: [step(200), step(201)] }),
    one('t'.repeat(201), { steps: Array(200).fill(step(1)) }),
    ...Array(200).fill(one('more')),
  ]
  const { assertions, notes, steps } = verdict(tests)
  expect([assertions.length, notes.length, steps.length]).toEqual([200, 100, 200])
  expect(assertions.slice(0, 2).map(({ text }) => text)).toEqual(['t'.repeat(200), `${'t'.repeat(199)}…`])
  expect(notes.slice(0, 2)).toEqual(['p'.repeat(500), `${'p'.repeat(499)}…`])
  expect(steps.slice(0, 2).map(({ title, error }) => [title, error])).toEqual([
    ['x'.repeat(200), 'y'.repeat(500)],
    [`${'x'.repeat(199)}…`, `${'y'.repeat(499)}…`],
  ])
  expect([verdict([failed('a', 'z'.repeat(600))]).failure, verdict([failed('a', 'z'.repeat(601))]).failure]).toEqual([
    'z'.repeat(600),
    `${'z'.repeat(599)}…`,
  ])
})

test('a multi-line secret is redacted in errors', () => {
  const clean = (text: string) => text.replaceAll('-----BEGIN\n  abc\n\n  def', '***')
  const error = 'Error: no -----BEGIN\n  abc\n\n  def'
  const steps = [{ title: 'pay', durationMs: 1, error }]
  const redacted = verdict([one('buy', { state: 'failed', error, steps })], { clean })
  expect([redacted.failure, redacted.assertions[0]?.actual, redacted.steps[0]?.error]).toEqual(['no ***', 'no ***', 'no ***'])
  const report = { durationMs: 1, tests: [one('a')], errors: [error] }
  expect(verdict([], { report, clean }).failure).toBe('no ***')
})
