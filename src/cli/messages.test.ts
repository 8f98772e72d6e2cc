import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { configuredFolder, tidemark } from '../../test/support/command.ts'
import { exampleCheck, runTypes } from '../../test/support/example-config.ts'
import { httpsServer } from '../../test/support/servers.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

const remote = ['--key', 'tdm_x', '--account', 'acme']

test.each([
  ['run', ['run', 'nobody']],
  ['badge', ['badge', 'nobody']],
  ['maintenance', ['maintenance', 'add', 'M', '--for', '1h', '--check', 'nobody']],
])('%s exits with 2 for an unknown check', async (_, args) => {
  const { exitCode, stderr } = await tidemark(configuredFolder(), ...args)
  expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/no check .*nobody/i)])
})

test('a self-signed certificate is reported with a hint', async () => {
  const port = await httpsServer((_, answer) => answer.end('{}'))
  for (const command of [['report'], ['tail'], ['slo']]) {
    const { exitCode, stderr } = await tidemark(temporaryFolder(), ...command, '--url', `https://127.0.0.1:${port}`, ...remote)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('NODE_EXTRA_CA_CERTS=ca.pem')])
  }
})

test('times may be relative to now', async () => {
  const folder = configuredFolder()
  const { exitCode, stdout } = await tidemark(folder, 'maintenance', 'add', 'M', '--for', '2h', '--from', '-1h')
  const [from, to] = (stdout.match(/\d{4}-\S+Z/g) ?? []).map((text) => Date.parse(text))
  expect(exitCode).toBe(0)
  expect((to ?? 0) - (from ?? 0)).toBe(7_200_000)
  expect(Math.abs(Date.now() - 3_600_000 - (from ?? 0))).toBeLessThan(600_000)
  const { stderr } = await tidemark(folder, 'export', '--check', 'x', '--from', '-1h')
  expect(stderr).not.toContain('It must be')
})

test.each([
  ['light', '10s', '30s', 'Warning: the timeout of acme slow (30 s) is longer than its frequency (10 s): runs are ended after 9 s.\n'],
  ['light', '30s', '30s', ''],
  [
    'heavy',
    '1m',
    '2m',
    'Warning: the timeout of acme slow (120 s) is longer than its frequency (60 s): a longer run skips the next one.\n',
  ],
])('validate reports for a %s check every %s with a timeout of %s: %j', async (weight, frequency, timeout, stderr) => {
  const folder = temporaryFolder()
  const type = runTypes.find(({ heavy }) => Boolean(heavy) === (weight === 'heavy'))
  const check = type && { ...exampleCheck(type), id: 'slow', frequency, timeout }
  for (const { path } of type?.files?.(check ?? {}) ?? []) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), '')
  }
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [{ id: 'acme', checks: [check] }] }))
  expect(await tidemark(folder, 'validate')).toMatchObject({ exitCode: 0, stderr })
})
