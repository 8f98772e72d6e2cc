// @slow ci
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Runs tests like on a machine with only Node: no program is found, and no browser is at the configured path. */
function testWithout(env: Readonly<Record<string, string>>, ...files: readonly string[]) {
  const bare = { PATH: '', HOME: temporaryFolder(), TIDEMARK_CHROMIUM: '/nowhere/chromium', NO_COLOR: '1', ...env }
  const { status, stdout } = spawnSync(process.execPath, [`${root}node_modules/vitest/vitest.mjs`, 'run', '--project', 'slow', ...files], {
    cwd: root,
    env: bare,
    encoding: 'utf8',
  })
  return { status, skipped: stdout.trimEnd().split('\n').slice(-2).join('\n'), stdout }
}

test('on a bare machine tests are skipped, not failed, and the output ends with what is missing and how to install it', {
  timeout: 300_000,
}, () => {
  const { status, skipped, stdout } = testWithout({}, 'badges-in-chromium.test.ts', 'icmp/run.test.ts')
  expect(status, stdout).toBe(0)
  expect(skipped).toMatch(/^\d+ tests were skipped for what this machine lacks: /)
  expect(skipped).toMatch(/ \d+ since TIDEMARK_CHROMIUM is not an executable file/)
  expect(skipped).toMatch(/ \d+ since ping is missing on this machine: install it /)
  expect(skipped).toMatch(
    /\nInstall what is missing \(Debian calls it chromium-headless-shell, .*iputils-ping.*\), and npm test runs them\.$/,
  )
})

test('with TIDEMARK_TEST_REQUIRE, a skipped test fails the run', { timeout: 120_000 }, () => {
  const { status, skipped } = testWithout({ TIDEMARK_TEST_REQUIRE: '1' }, 'icmp/run.test.ts')
  expect(status).toBe(1)
  expect(skipped).toContain('Here all of them are required, so this run has failed.')
})
