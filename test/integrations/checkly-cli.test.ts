// @slow
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failureOf } from '../clickhouse/engines/modern-install.mjs'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = fileURLToPath(new URL('checkly/', import.meta.url))
const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8')) as { readonly dependencies: object }
/** What is installed in the folder. */
const stamp = `${folder}node_modules/.tidemark-installed`
const nodeVersion = 24
const ownNode = `node-${process.platform}-${process.arch}`
const isCurrent = Number.parseInt(process.versions.node, 10) >= nodeVersion
const node = isCurrent ? process.execPath : `${folder}node_modules/${ownNode}/bin/node`

/** Why the clients cannot be run here; null where they are installed. */
function installFailure(): string | null {
  const flags = ['--no-engine-strict', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
  const further = isCurrent ? [] : [`${ownNode}@${nodeVersion}`]
  const wanted = JSON.stringify([dependencies, further])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null
  const installed = spawnSync('npm', ['install', ...flags, ...further], { cwd: folder, encoding: 'utf8', timeout: 8 * 60_000 })
  const failure = failureOf(installed)
  if (failure === null) writeFileSync(stamp, wanted)
  return failure && `the CLI could not be installed: ${failure}`
}

function programOf(client: string): string {
  const { bin } = JSON.parse(readFileSync(`${folder}node_modules/${client}/package.json`, 'utf8')) as {
    readonly bin: { readonly checkly: string }
  }
  return `${folder}node_modules/${client}/${bin.checkly}`
}

const now = Date.now()
const check = testCheck(anyRunType(), { id: 'homepage', name: 'Homepage', tags: ['shop'] })

describe('the CLI that others use for this API', { ...needing(installFailure()), timeout: 300_000 }, () => {
  let api: TestApp
  let url = ''
  beforeAll(async () => {
    const catalogue = testCatalogue({ checks: [check], service: () => ({ ...service, accountHeaders: ['x-checkly-account'] }) })
    const results = [60_000, 120_000].map((age) => testResult(check, now - age))
    api = await openTestApp({ catalogue, results, now })
    url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => api.close())

  const runs = async (client: string, ...args: readonly string[]) => {
    const credentials = { CHECKLY_API_URL: url, CHECKLY_API_KEY: readKey, CHECKLY_ACCOUNT_ID: account }
    const env = { ...credentials, CHECKLY_ENV: 'local', HOME: temporaryFolder(), PATH: process.env.PATH, NO_COLOR: '1', CI: '1' }
    return (await promisify(execFile)(node, [programOf(client), ...args], { env, cwd: env.HOME })).stdout
  }

  describe.each(Object.keys(dependencies))('%s', (client) => {
    test('says whose key it has', async () => {
      expect(await runs(client, 'whoami')).toMatch(/account ".+" \(acme\) as \S/)
    })

    test('lists checks, by name and filtered', async () => {
      expect(await runs(client, 'checks', 'list')).toMatch(/Homepage +\S+ +passing .* shop +homepage/)
      const listed = JSON.parse(await runs(client, 'checks', 'list', '--tag', 'shop', '--output', 'json'))
      expect(listed).toMatchObject({ data: [{ id: 'homepage' }], pagination: { total: 1 } })
    })

    test('shows a check with its figures and last results', async () => {
      const shown = await runs(client, 'checks', 'get', 'homepage')
      expect(shown).toMatch(/Availability: +100\.00%/)
      expect(shown).toContain('RECENT RESULTS')
    })

    test('shows figures of all checks', async () => {
      expect(await runs(client, 'checks', 'stats')).toMatch(/Homepage .*100\.00%/)
    })

    test('passes requests on', async () => {
      expect(JSON.parse(await runs(client, 'api', '/v1/checks/homepage'))).toMatchObject({ id: 'homepage' })
    })

    test.each([
      [['status-pages', 'list'], 'No status pages found.'],
      [['incidents', 'list'], 'No incidents found.'],
      [['alert-channels', 'list'], 'No alert channels found.'],
      [['env', 'ls'], 'No environment variables found.'],
    ])('%j finds nothing, and says so', async (args, answer) => {
      expect(await runs(client, ...args)).toContain(answer)
    })
  })
})
