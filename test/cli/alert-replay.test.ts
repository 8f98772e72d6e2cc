import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createEmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { account, testCheck } from '../support/catalogue.ts'
import { noon } from '../support/channels.ts'
import { command } from '../support/command.ts'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const minute = 60_000
const type = anyRunType()

test('a replay prints the messages that the rules of another config file would have sent', async () => {
  const { folder, replay } = await filledFolder()
  const times = ['--from', '2026-11-17', '--to', '2026-11-18']
  const { stdout, exitCode } = await replay(...times)
  expect(stdout.split('\n')).toEqual([
    '2026-11-17T10:00:00.000Z  hook  open  Shop is failing: status 503',
    '2026-11-17T10:03:00.000Z  hook  close  Shop is no longer failing: it was down for 3 minutes: status 503',
    '2 messages from 2026-11-17T00:00:00.000Z to 2026-11-17T12:00:00.000Z',
    '',
  ])
  expect(exitCode).toBe(0)
  const lines = (await replay('--format', 'json', ...times)).stdout.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'open', rule: 'down', channel: 'hook', checks: ['shop'] },
    { event: 'close' },
  ])
  writeFileSync(join(folder, 'patient.yaml'), configText({ after: { runs: 5 } }))
  expect((await replay('--config', join(folder, 'patient.yaml'), ...times)).stdout).toMatch(/^0 messages/)
})

test('a replay without rules, or without results, says what is missing', async () => {
  const { folder, replay } = await filledFolder()
  writeFileSync(join(folder, 'none.yaml'), JSON.stringify({ accounts: [{ id: account, checks: [] }] }))
  expect((await replay('--config', join(folder, 'none.yaml'))).stderr).toContain('has no alert rules for this account')
  expect((await replay('--data', join(folder, 'nowhere'))).stderr).toContain('No results in')
})

function configText(more: object = {}): string {
  const checks = [{ ...exampleCheck(type), id: 'shop', name: 'Shop', frequency: '1m', locations: ['here'] }]
  const channels = [{ id: 'hook', type: 'webhook', url: 'http://127.0.0.1:9/' }]
  return JSON.stringify({ accounts: [{ id: account, checks, channels, alerts: [{ id: 'down', to: ['hook'], ...more }] }] })
}

/** A check that failed for three minutes. */
async function filledFolder() {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'tidemark.yaml'), configText())
  const store = await createEmbeddedStore({ directory: join(folder, 'data'), workers: 0 })
  const shop = testCheck(type, { id: 'shop', locations: ['here'] })
  const ten = noon - 120 * minute
  const results = Array.from({ length: 10 }, (_, i) => {
    const hasFailures = i >= 4 && i < 7
    const startedAt = ten + (i - 4) * minute
    return testResult(shop, startedAt, { runLocation: 'here', hasFailures, error: hasFailures ? 'status 503' : null })
  })
  await store.append(results)
  await store.close()
  const env = { TIDEMARK_CONFIG: join(folder, 'tidemark.yaml'), TIDEMARK_DATA: join(folder, 'data') }
  return { folder, replay: (...args: readonly string[]) => command(env, ['alert', 'replay', ...args], () => noon) }
}
