// @slow ci waiting
import { execFile } from 'node:child_process'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checklyClients } from '../../scripts/checkly-clients.mjs'
import { openTestApp, type TestApp } from '../support/app.ts'
import { account, readKey, service, testCatalogue, testCheck, testKey } from '../support/catalogue.ts'
import { chromiumMissing } from '../support/chromium.ts'
import { anyRunType } from '../support/example-config.ts'
import { machine, needing } from '../support/needs.ts'
import { startProgram } from '../support/program.ts'
import { testResult } from '../support/results.ts'
import { newKey } from '../support/server-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { browserSuiteFiles, openProject, projectFiles } from './checkly-project.ts'

const { clients, clientsMissing, node } = checklyClients()
const { dependencies } = JSON.parse(readFileSync(`${clients}package.json`, 'utf8')) as { readonly dependencies: object }

function programOf(client: string): string {
  const { bin } = JSON.parse(readFileSync(`${clients}node_modules/${client}/package.json`, 'utf8')) as {
    readonly bin: { readonly checkly: string }
  }
  return `${clients}node_modules/${client}/${bin.checkly}`
}

const writeKey = 'tdm_testwrit_00000000000000000000000000000000_000000'
const now = Date.now()
const check = testCheck(anyRunType(), { id: 'homepage', name: 'Homepage', tags: ['shop'] })

/** Each command loads the whole client, so Node's compile cache is kept for the next one. */
const compiled = temporaryFolder()

type Call = { readonly client: string; readonly url: string; readonly key: string; readonly folder: string }

async function runClient({ client, url, key, folder }: Call, args: readonly string[]): Promise<string> {
  const credentials = { CHECKLY_API_URL: url, CHECKLY_API_KEY: key, CHECKLY_ACCOUNT_ID: account }
  const settings = { CHECKLY_ENV: 'local', HOME: temporaryFolder(), PATH: process.env.PATH, NO_COLOR: '1', CI: '1' }
  const env = { ...credentials, ...settings, NODE_COMPILE_CACHE: compiled }
  return (await promisify(execFile)(node, [programOf(client), ...args], { env, cwd: folder })).stdout
}

describe('the CLI that others use for this API', { ...needing(clientsMissing), timeout: 300_000 }, () => {
  let api: TestApp
  let url = ''
  beforeAll(async () => {
    const catalogue = testCatalogue({ checks: [check], service: () => ({ ...service, accountHeaders: ['x-checkly-account'] }) })
    const results = [60_000, 120_000].map((age) => testResult(check, now - age))
    api = await openTestApp({ catalogue, results, now })
    url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => api.close())

  const runs = (client: string, ...args: readonly string[]) => runClient({ client, url, key: readKey, folder: temporaryFolder() }, args)

  describe.each(Object.keys(dependencies))('%s', (client) => {
    test('shows the account of the key', async () => {
      expect(await runs(client, 'whoami')).toMatch(/account ".+" \(acme\) as \S/)
    })

    test('lists checks, by name and filtered', async () => {
      expect(await runs(client, 'checks', 'list')).toMatch(/Homepage +\S+ +passing .* shop +homepage/)
      const listed = JSON.parse(await runs(client, 'checks', 'list', '--tag', 'shop', '--output', 'json'))
      expect(listed).toMatchObject({ data: [{ id: 'homepage' }], pagination: { total: 1 } })
    })

    test('shows a check with its figures and recent results', async () => {
      const shown = await runs(client, 'checks', 'get', 'homepage')
      expect(shown).toMatch(/Availability: +100\.00%/)
      expect(shown).toContain('RECENT RESULTS')
    })

    test('shows figures of all checks', async () => {
      expect(await runs(client, 'checks', 'stats')).toMatch(/Homepage .*100\.00%/)
    })

    test('passes API requests on', async () => {
      expect(JSON.parse(await runs(client, 'api', '/v1/checks/homepage'))).toMatchObject({ id: 'homepage' })
    })

    test.each([
      [['status-pages', 'list'], 'No status pages found.'],
      [['incidents', 'list'], 'No incidents found.'],
      [['alert-channels', 'list'], 'No alert channels found.'],
      [['env', 'ls'], 'No environment variables found.'],
    ])('%j reports that there is nothing', async (args, answer) => {
      expect(await runs(client, ...args)).toContain(answer)
    })
  })
})

describe('a project that is deployed by the CLI', { ...needing(clientsMissing), timeout: 300_000 }, () => {
  let api: TestApp
  let url = ''
  let isCodeAllowed = true
  beforeAll(async () => {
    const catalogue = testCatalogue({
      accounts: [{ id: account, name: 'Acme Inc', publicBadges: false, managedVariables: ['SHOP'] }],
      keys: [testKey(writeKey, account, ['read', 'write'])],
      service: () => ({ ...service, accountHeaders: ['x-checkly-account'], allowUploadedCode: isCodeAllowed, allowManagedLocations: true }),
    })
    api = await openTestApp({ managed: true, env: { SHOP: 'lamps' }, catalogue, now: Date.now })
    url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(() => api.close())

  const headers = { authorization: `Bearer ${writeKey}`, 'x-service-account': account }
  const versions = async () => (await api.get('/v1/audit?limit=100', headers)).body.entries.length
  const checks = async () =>
    (await api.get('/v1/checks?limit=100', headers)).body as readonly { readonly id: string; readonly name: string }[]
  /** The part of a preview below a heading. */
  const section = (output: string, heading: string) => new RegExp(`${heading}:\\n((?: {4}.*\\n)*)`).exec(output)?.[1] ?? ''

  test.each(Object.keys(dependencies))('by %s is previewed, created, kept, changed, and destroyed', async (client) => {
    isCodeAllowed = true
    const { folder, write } = openProject(realpathSync(`${clients}node_modules/${client}`))
    const run = (...args: readonly string[]) => runClient({ client, url, key: writeKey, folder }, args)
    const before = await versions()

    const created = section(await run('deploy', '--preview'), 'Create')
      .trim()
      .split(/\n +/)
    expect(created).toEqual(
      expect.arrayContaining([
        'ApiCheck: orders',
        'CheckGroupV2: api',
        'PrivateLocation: dc',
        'PlaywrightCheck: suite',
        'BrowserCheck: login',
      ]),
    )
    expect([await versions(), await checks()]).toEqual([before, []])

    const deployed = await run('deploy', '--force', '--output')
    expect(section(deployed, 'Create').trim().split(/\n +/)).toEqual(created)
    expect(deployed).toContain('Successfully deployed project "Shop" to account "Acme Inc".')
    const [, pingUrl = ''] = /Ping URL of heartbeat check Backup is (\S+)\./.exec(deployed) ?? []
    expect((await api.call({ method: 'POST', url: new URL(pingUrl).pathname })).status).toBe(200)
    const stored = await checks()
    expect(stored).toHaveLength(created.length - 2)
    const places = async () => (await api.get('/v1/private-locations', headers)).body
    expect(await places()).toMatchObject([{ slugName: 'dc-2', keys: [] }])

    const after = await versions()
    expect(
      section(await run('deploy', '--force', '--output'), 'Update and Unchanged')
        .trim()
        .split(/\n +/),
    ).toEqual(created)
    expect([await versions(), await checks()]).toEqual([after, stored])

    write('__checks__/monitors.check.ts', String(projectFiles['__checks__/monitors.check.ts']).replace('NAME_OF_HOME', 'Home page'))
    write('__checks__/groups.check.ts', '')
    const changed = await run('deploy', '--force', '--output')
    expect(section(changed, 'Delete')).toMatch(/Check: items\n.*CheckGroup: api|CheckGroup: api\n.*Check: items/s)
    expect((await checks()).map(({ name }) => name)).toContain('Home page')
    expect(await checks()).toHaveLength(stored.length - 1)
    expect(await places()).toEqual([])

    expect(await run('destroy', '--force')).toContain('have been successfully deleted.')
    expect(await checks()).toEqual([])
  })

  test.each(Object.keys(dependencies))('by %s with faults changes nothing, and the CLI shows them', async (client) => {
    isCodeAllowed = false
    const { folder, write } = openProject(realpathSync(`${clients}node_modules/${client}`), {
      'package.json': String(projectFiles['package.json']),
      'checkly.config.ts': String(projectFiles['checkly.config.ts']),
    })
    const failing = () => runClient({ client, url, key: writeKey, folder }, ['deploy', '--force']).catch(({ stdout }) => String(stdout))
    write('__checks__/dashboard.check.ts', dashboard)
    expect(await failing()).toMatch(/could not be deployed.*dashboard main: resources of type dashboard are not supported/s)
    write('__checks__/dashboard.check.ts', inline)
    expect((await failing()).replace(/\s+/g, ' ')).toContain('only where the config file says allowUploadedCode: true')
    expect(await checks()).toEqual([])
  })
})

describe('a Playwright suite that is deployed by the CLI', {
  ...needing(clientsMissing ?? (await chromiumMissing())),
  timeout: 300_000,
}, () => {
  test.each(Object.keys(dependencies))('by %s is run by the server in a browser, and its result is stored', async (client) => {
    const serverFolder = temporaryFolder()
    const config = { accountHeaders: ['x-checkly-account'], allowUploadedCode: true, accounts: [{ id: account, name: 'Acme Inc' }] }
    writeFileSync(join(serverFolder, 'tidemark.yaml'), JSON.stringify(config))
    const key = await newKey(serverFolder, 'read,write')
    const { url } = await startProgram(['serve', '--port', '0'], { cwd: serverFolder, env: chromiumEnv })

    const { folder } = openProject(realpathSync(`${clients}node_modules/${client}`), browserSuiteFiles)
    expect(await runClient({ client, url, key, folder }, ['deploy', '--force'])).toContain('Successfully deployed project')

    const headers = { authorization: `Bearer ${key}`, 'x-checkly-account': account }
    const read = async (path: string) => (await fetch(`${url}${path}`, { headers })).json()
    const [{ id }] = (await read('/v1/checks')) as [{ readonly id: string }]
    const results = async () => (await read(`/v1/check-results/${id}`)) as readonly Readonly<Record<string, unknown>>[]
    await expect.poll(results, { timeout: 120_000, interval: 500 }).toHaveLength(1)
    expect(await results()).toMatchObject([{ hasFailures: false, hasErrors: false, responseTime: expect.any(Number) }])
  })
})

const chromiumEnv = machine.chromium === null ? {} : { TIDEMARK_CHROMIUM: machine.chromium }

const dashboard = `
import { Dashboard } from 'checkly/constructs'
new Dashboard('main', { header: 'Shop', customUrl: 'shop-status' })
`
const inline = `
import { BrowserCheck } from 'checkly/constructs'
new BrowserCheck('inline', { name: 'Inline', code: { content: "import { test } from '@playwright/test'" } })
`
