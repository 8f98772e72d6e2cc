import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { overrideConfig } from './override-config.ts'

const proxy = { server: 'http://127.0.0.1:1' }
const deadEnd = { server: 'http://127.0.0.1:2' }
const over = {
  directory: '/suite',
  outputDir: '/run/output',
  reportFile: '/run/report.json',
  proxyUrl: proxy.server,
  globalTimeoutMs: 1000,
  screenshot: null,
  launchOptions: { executablePath: '/chromium', chromiumSandbox: true, proxy: deadEnd, args: ['--ours'] },
}
const laidOver = (own: Readonly<Record<string, unknown>>) => overrideConfig({ default: own }, over, resolve)

test('paths of the suite are relative to its folder, and its output goes to the folder of the run', () => {
  const own = { testDir: './e2e', globalSetup: ['./setup.ts'], outputDir: 'mine', reporter: 'html', webServer: { command: 'npm start' } }
  expect(laidOver({ ...own, projects: [{ name: 'one', testDir: 'one' }] })).toMatchObject({
    testDir: '/suite/e2e',
    globalSetup: ['/suite/setup.ts'],
    outputDir: '/run/output',
    reporter: [['json', { outputFile: '/run/report.json' }]],
    webServer: { command: 'npm start', cwd: '/suite' },
    projects: [{ name: 'one', testDir: '/suite/one', outputDir: '/run/output' }],
  })
})

test('without a testDir, tests are searched for in the whole suite', () => {
  expect(laidOver({})).toMatchObject({ testDir: '/suite' })
})

test('the proxy overrides every project, and the browser those that use Chromium without a path', () => {
  const projects = [
    { use: { defaultBrowserType: 'chromium', launchOptions: { args: ['--theirs'] } } },
    { use: { browserName: 'firefox', proxy: { server: 'http://elsewhere' } } },
    { use: { channel: 'msedge' } },
  ]
  expect(laidOver({ use: { locale: 'de' }, projects }).projects).toEqual([
    expect.objectContaining({
      use: {
        locale: 'de',
        defaultBrowserType: 'chromium',
        proxy,
        launchOptions: { executablePath: '/chromium', chromiumSandbox: true, proxy: deadEnd, args: ['--theirs', '--ours'] },
      },
    }),
    expect.objectContaining({
      use: { locale: 'de', browserName: 'firefox', proxy, launchOptions: { chromiumSandbox: true, proxy: deadEnd } },
    }),
    expect.objectContaining({
      use: { locale: 'de', channel: 'msedge', proxy, launchOptions: { chromiumSandbox: true, proxy: deadEnd, args: ['--ours'] } },
    }),
  ])
})

test('screenshots of failures override the setting of the suite', () => {
  const screenshot = { mode: 'only-on-failure' }
  const own = { use: { screenshot: 'off' }, projects: [{ use: { screenshot: 'on' } }] }
  expect(overrideConfig(own, { ...over, screenshot }, resolve)).toMatchObject({ use: { screenshot }, projects: [{ use: { screenshot } }] })
  expect(overrideConfig(own, over, resolve)).toMatchObject(own)
})

test('a shorter timeout in the config of the suite takes precedence', () => {
  expect(laidOver({ globalTimeout: 500 }).globalTimeout).toBe(500)
  expect(laidOver({ globalTimeout: 5000 }).globalTimeout).toBe(1000)
  expect(laidOver({}).globalTimeout).toBe(1000)
})
