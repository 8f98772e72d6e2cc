// @slow
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { failureOf } from './engines/modern-install.mjs'

const ran = (script: string, timeout = 60_000) => failureOf(spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', timeout }))

test('an engine that starts reports no failure', () => {
  expect(ran('')).toBeNull()
})

test.each([
  ["throw new Error('GLIBC_2.99 not found')", /^Error: GLIBC_2\.99 not found$/],
  ["process.kill(process.pid, 'SIGILL')", /^it was ended by SIGILL$/],
  ['process.exit(3)', /^status 3$/],
])('the reason that it does not start is one line: %s', (script, words) => {
  expect(ran(script)).toMatch(words)
})

test('an engine that takes too long has failed', () => {
  expect(ran('setInterval(() => {}, 1000)', 500)).toBe('it takes too long')
  expect(failureOf(spawnSync('no-such-program', { encoding: 'utf8' }))).toMatch(/ENOENT/)
})
