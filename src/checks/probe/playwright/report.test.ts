import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith } from '../../../../test/support/scripts.ts'
import { errorSummary, readReport } from './report.ts'

test('an error becomes one sentence without colours, call logs and file positions', () => {
  const error = 'Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)\n\nExpected: 2\nReceived: 1\n\nCall log:\n  - waiting\n'
  expect(errorSummary(error)).toBe('expect(received).toBe(expected); Expected: 2; Received: 1')
  expect(errorSummary('TypeError: no\n    at one (/home/me/check.ts:1:2)\n    at two')).toBe('TypeError: no')
})

test('only the beginning of an error is summarized', () => {
  expect(errorSummary(`Error: no${'\n'.repeat(200_000)}late`)).toBe('no')
})

test('there is no report if the file is missing, truncated or not a file', async () => {
  const folder = await folderWith({ 'broken.json': '{"stats": {' })
  expect(await readReport(join(folder, 'none.json'))).toBeNull()
  expect(await readReport(join(folder, 'broken.json'))).toBeNull()
  expect(await readReport(folder)).toBeNull()
})

test('a test has the state of its last attempt, with its output, steps and screenshots', async () => {
  const attempt = (more: object) => ({ duration: 1, stdout: [], stderr: [], ...more })
  const last = attempt({
    duration: 7,
    error: { message: 'Error: no' },
    stdout: [{ text: 'a\n' }, { buffer: 'x' }],
    stderr: [{ text: 'b\n' }],
    annotations: [{ type: 'own' }],
    steps: [
      { title: 'open', duration: 2, steps: [{ title: 'click', duration: 1, error: { message: 'Error: gone' } }] },
      { title: 'pay', duration: 3, error: {} },
    ],
    attachments: [{ name: 'screenshot', path: '/a.png' }, { name: 'screenshot' }, { name: 'trace', path: '/b.zip' }],
  })
  const tests = [
    { status: 'unexpected', annotations: [], results: [attempt({ duration: 3 }), last] },
    { status: 'flaky', annotations: [{ type: 'of the test' }], results: [attempt({ error: { message: 'x' } })] },
    { status: 'skipped', annotations: [], results: [] },
    { status: 'unexpected', annotations: [], results: [attempt({})] },
  ]
  const report = {
    stats: { duration: 99 },
    errors: [{ message: 'outside' }, {}],
    suites: [{ specs: [{ title: 'outer', tests: tests.slice(0, 1) }], suites: [{ specs: [{ title: 'inner', tests: tests.slice(1) }] }] }],
  }
  const folder = await folderWith({ 'report.json': JSON.stringify(report) })
  const none = { annotations: [], printed: '', steps: [], screenshots: [] }
  expect(await readReport(join(folder, 'report.json'))).toEqual({
    durationMs: 99,
    errors: ['outside', 'unknown error'],
    tests: [
      {
        title: 'outer',
        state: 'failed',
        durationMs: 7,
        error: 'Error: no',
        annotations: [{ type: 'own' }],
        printed: 'a\nb\n',
        steps: [
          { title: 'open', durationMs: 2, error: null },
          { title: 'open › click', durationMs: 1, error: 'Error: gone' },
          { title: 'pay', durationMs: 3, error: 'it failed' },
        ],
        screenshots: ['/a.png'],
      },
      { ...none, title: 'inner', state: 'passed', durationMs: 1, error: null, annotations: [{ type: 'of the test' }] },
      { ...none, title: 'inner', state: 'skipped', durationMs: 0, error: null },
      { ...none, title: 'inner', state: 'failed', durationMs: 1, error: 'it did not end as expected' },
    ],
  })
})

test('a report that is too large is an error', async () => {
  const folder = await folderWith({ 'large.json': ' '.repeat(32 * 1024 * 1024 + 1) })
  expect(await readReport(join(folder, 'large.json'))).toEqual({
    durationMs: 0,
    tests: [],
    errors: ['the script printed too much output'],
  })
})
