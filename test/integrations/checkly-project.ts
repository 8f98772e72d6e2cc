import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { playwrightVersion } from '../../src/checks/probe/playwright/script-files.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const config = `
import { defineConfig } from 'checkly'
import { Frequency } from 'checkly/constructs'

export default defineConfig({
  projectName: 'Shop',
  logicalId: 'shop-main',
  repoUrl: 'https://git.example/shop',
  checks: {
    activated: true,
    muted: false,
    runtimeId: '2025.04',
    frequency: Frequency.EVERY_5M,
    locations: ['eu-west-1'],
    tags: ['cli'],
    checkMatch: '**/__checks__/**/*.check.ts',
    browserChecks: { testMatch: '**/__checks__/**/*.spec.ts' },
  },
  cli: { runLocation: 'eu-west-1' },
})
`

const monitors = `
import {
  ApiCheck, AssertionBuilder, DnsAssertionBuilder, DnsMonitor, Frequency, HeartbeatMonitor, IcmpMonitor,
  RetryStrategyBuilder, TcpAssertionBuilder, TcpMonitor, UrlAssertionBuilder, UrlMonitor,
} from 'checkly/constructs'

new ApiCheck('orders', {
  name: 'Orders',
  degradedResponseTime: 2000,
  maxResponseTime: 5000,
  retryStrategy: RetryStrategyBuilder.linearStrategy({ baseBackoffSeconds: 10, maxRetries: 2 }),
  request: {
    url: 'https://shop.example/orders',
    method: 'POST',
    headers: [{ key: 'x-shop', value: '{{SHOP}}' }],
    queryParameters: [{ key: 'page', value: '1' }],
    bodyType: 'JSON',
    body: JSON.stringify({ item: 'lamp' }),
    followRedirects: true,
    skipSSL: false,
    assertions: [
      AssertionBuilder.statusCode().equals(200),
      AssertionBuilder.jsonBody('$.items').isNotNull(),
      AssertionBuilder.headers('content-type').contains('json'),
      AssertionBuilder.responseTime().lessThan(3000),
    ],
  },
})

new UrlMonitor('home', {
  name: 'NAME_OF_HOME',
  frequency: Frequency.EVERY_30S,
  request: { url: 'https://shop.example/', assertions: [UrlAssertionBuilder.statusCode().equals(200)] },
})

new TcpMonitor('database', {
  name: 'Database',
  degradedResponseTime: 500,
  maxResponseTime: 1000,
  request: { hostname: 'db.example', port: 5432, assertions: [TcpAssertionBuilder.responseTime().lessThan(900)] },
})

new DnsMonitor('domain', {
  name: 'Domain',
  degradedResponseTime: 500,
  maxResponseTime: 1000,
  request: {
    recordType: 'A',
    query: 'shop.example',
    assertions: [DnsAssertionBuilder.responseCode().equals('NOERROR')],
  },
})

new IcmpMonitor('router', {
  name: 'Router',
  degradedPacketLossThreshold: 10,
  maxPacketLossThreshold: 20,
  request: { hostname: 'router.example', pingCount: 4 },
})

new HeartbeatMonitor('backup', { name: 'Backup', period: 30, periodUnit: 'minutes', grace: 5, graceUnit: 'minutes' })
`

const groups = `
import { ApiCheck, CheckGroupV2, Frequency, PrivateLocation } from 'checkly/constructs'

const place = new PrivateLocation('dc', { name: 'Data centre', slugName: 'dc-2', icon: 'server' })

const group = new CheckGroupV2('api', {
  name: 'Interfaces',
  activated: true,
  muted: false,
  tags: ['grouped'],
  locations: ['eu-west-1'],
  privateLocations: [place],
  environmentVariables: [{ key: 'STAGE', value: 'live' }],
  apiCheckDefaults: { url: 'https://api.example', headers: [{ key: 'x-team', value: 'shop' }] },
})

new ApiCheck('items', {
  name: 'Items',
  group,
  privateLocations: [place],
  frequency: Frequency.EVERY_10M,
  request: { url: 'https://api.example/items', method: 'GET' },
})
`

const scripts = `
import { BrowserCheck, Frequency, MultiStepCheck } from 'checkly/constructs'
import * as path from 'path'

new BrowserCheck('login', {
  name: 'Login',
  frequency: Frequency.EVERY_10M,
  environmentVariables: [{ key: 'ITEM', value: 'lamp' }],
  code: { entrypoint: path.join(__dirname, '../scripts/login.ts') },
})

new MultiStepCheck('order', {
  name: 'Order',
  code: { entrypoint: path.join(__dirname, '../scripts/order.ts') },
})
`

const page = `
export const greeting = (name: string): string => \`Hello \${name}\`
`

const login = `
import { expect, test } from '@playwright/test'
import { greeting } from './lib/page'

test('greets', async () => {
  expect(greeting(process.env.ITEM ?? '')).toBe('Hello lamp')
})
`

const order = `
import { expect, test } from '@playwright/test'
import { greeting } from './lib/page'

test('orders', async () => {
  expect(greeting('you')).toBe('Hello you')
})
`

const ownSpec = `
import { test } from '@playwright/test'
test('is found by its name', async () => {})
`

const suite = `
import { Frequency, PlaywrightCheck } from 'checkly/constructs'

new PlaywrightCheck('suite', {
  name: 'Suite',
  frequency: Frequency.EVERY_10M,
  playwrightConfigPath: '../e2e/playwright.config.ts',
  pwProjects: ['plain'],
})
`

const suiteConfig = `
import { defineConfig } from '@playwright/test'
export default defineConfig({ testDir: './tests', projects: [{ name: 'plain' }, { name: 'other' }] })
`

const suiteTest = `
import { expect, test } from '@playwright/test'
import { total } from './total'
test('adds up', async ({}, { project }) => expect([project.name, total([1, 2])]).toEqual(['plain', 3]))
`

const packageFile = { name: 'shop', version: '1.0.0', private: true, devDependencies: { '@playwright/test': playwrightVersion() } }

/** The files of a project with a check of each type that can be deployed. */
export const projectFiles: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(packageFile),
  'package-lock.json': JSON.stringify({ ...packageFile, lockfileVersion: 3, packages: { '': packageFile } }),
  'checkly.config.ts': config,
  '__checks__/monitors.check.ts': monitors,
  '__checks__/groups.check.ts': groups,
  '__checks__/scripts.check.ts': scripts,
  '__checks__/search.spec.ts': ownSpec,
  '__checks__/suite.check.ts': suite,
  'e2e/playwright.config.ts': suiteConfig,
  'e2e/tests/sum.spec.ts': suiteTest,
  'e2e/tests/total.ts': 'export const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)',
  'scripts/login.ts': login,
  'scripts/order.ts': order,
  'scripts/lib/page.ts': page,
}

const browserTest = `
import { expect, test } from '@playwright/test'
import { heading } from './heading'
test('greets', async ({ page }) => {
  await page.setContent(heading('Hello'))
  await expect(page.getByRole('heading')).toHaveText('Hello')
})
`

/** A project with only a suite that needs a browser. */
export const browserSuiteFiles: typeof projectFiles = {
  'package.json': String(projectFiles['package.json']),
  'package-lock.json': String(projectFiles['package-lock.json']),
  'checkly.config.ts': config,
  '__checks__/suite.check.ts': suite,
  'e2e/playwright.config.ts': suiteConfig,
  'e2e/tests/greets.spec.ts': browserTest,
  'e2e/tests/heading.ts': "export const heading = (text: string) => '<h1>' + text + '</h1>'",
}

/** A folder with a project and an installed client, like that of a user. */
export function openProject(clientFolder: string, files = projectFiles) {
  const folder = temporaryFolder()
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const [name, text] of Object.entries(files)) write(name, text)
  mkdirSync(join(folder, 'node_modules/@playwright'), { recursive: true })
  symlinkSync(fileURLToPath(new URL('../../node_modules/@playwright/test', import.meta.url)), join(folder, 'node_modules/@playwright/test'))
  symlinkSync(clientFolder, join(folder, 'node_modules/checkly'))
  return { folder, write }
}
