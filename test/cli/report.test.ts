import { expect, test } from 'vitest'
import { command } from '../support/command.ts'

const access = { TIDEMARK_KEY: 'k', TIDEMARK_ACCOUNT: 'acme' }

test('a report names a missing key, account or server', async () => {
  const report = (env: Readonly<Record<string, string>>) => command(env, ['report', 'x', '--metrics', 'p95'])
  expect(await report({})).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('TIDEMARK_KEY') })
  expect(await report({ TIDEMARK_KEY: 'k' })).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('TIDEMARK_ACCOUNT') })
  expect(await report({ ...access, TIDEMARK_URL: 'nowhere' })).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nowhere') })
  const unreachable = await report({ ...access, TIDEMARK_URL: 'http://127.0.0.1:9' })
  expect(unreachable).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^No Tidemark server responds at http:\/\/127\.0\.0\.1:9/),
  })
})

test('--every requires whole minutes', async () => {
  const { exitCode, stderr } = await command(access, ['report', 'x', '--metrics', 'p95', '--every', '90s'])
  expect(exitCode).toBe(1)
  expect(stderr).toContain('whole minutes')
})
