// @slow
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openTestApp } from '../support/app.ts'
import { account, readKey, testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'

const program = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))
const shop = testCheck(anyRunType(), { id: 'shop', name: 'Shop' })
const blog = testCheck(anyRunType(), { id: 'blog', name: 'Blog' })

function tail(url: string, ...args: readonly string[]) {
  const env = { ...process.env, TIDEMARK_URL: url, TIDEMARK_KEY: readKey, TIDEMARK_ACCOUNT: account }
  const running: ChildProcess = spawn(process.execPath, [program, 'tail', ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void running.kill('SIGKILL'))
  let said = ''
  running.stdout?.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
  })
  return { running, lines: () => said.split('\n').filter((line) => line !== '') }
}

test('tail prints results of a check as they are stored, and exits with 0 when interrupted', { timeout: 60_000 }, async () => {
  const api = await openTestApp({ catalogue: testCatalogue({ checks: [shop, blog] }) })
  onTestFinished(api.close)
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const [text, json] = [tail(url, 'Shop'), tail(url, '--failures', '--format', 'json')]
  let startedAt = 0
  const appendBoth = async () => {
    startedAt += 1000
    await api.store.append([testResult(shop, startedAt), testResult(blog, startedAt, { hasFailures: true, error: 'status 503' })])
    return text.lines().length > 0 && json.lines().length > 0
  }
  await expect.poll(appendBoth, { timeout: 30_000, interval: 500 }).toBe(true)
  for (const line of text.lines()) expect(line).toMatch(/^1970-01-01T00:00:\d\dZ {2}✓ passing {3}Shop {2}eu-west-1/)
  for (const line of json.lines()) expect(JSON.parse(line)).toMatchObject({ checkId: 'blog', hasFailures: true, error: 'status 503' })
  for (const { running } of [text, json]) {
    const ended = once(running, 'exit')
    running.kill('SIGINT')
    expect(await ended).toEqual([0, null])
  }
})
