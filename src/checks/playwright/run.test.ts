// @slow ci
import { describe, expect, test, vi } from 'vitest'
import { chromiumMissing } from '../../../test/support/chromium.ts'
import { needing } from '../../../test/support/needs.ts'
import { folderWith, scriptContext, serving } from '../../../test/support/scripts.ts'
import { run } from './run.ts'

vi.setConfig({ testTimeout: 120_000 })

const config = `
import { defineConfig } from '@playwright/test'
export default defineConfig({
  testDir: './tests',
  outputDir: './never-written',
  use: { baseURL: process.env.BASE },
  projects: [{ name: 'api' }, { name: 'other', testMatch: 'nothing' }],
})
`
const tests = `
import { expect, test } from '@playwright/test'
test('the list is short', { tag: '@quick' }, async ({ request }) => {
  expect(await (await request.get('/items')).json()).toHaveLength(2)
  test.info().annotations.push({ type: 'web-vitals', description: JSON.stringify({ LCP: 1000, CLS: 0.1 }) })
})
test('the page is fast', { tag: '@quick' }, async () => {
  test.info().annotations.push({ type: 'web-vitals', description: JSON.stringify({ LCP: 2000 }) })
})
test('the list is long', async ({ request }) => {
  expect(await (await request.get('/items')).json()).toHaveLength(3)
})
`
const suite = { 'suite/playwright.config.ts': config, 'suite/tests/list.spec.ts': tests }

test('the selected tests of a suite run with its own configuration, and its reported web vitals are averaged', async () => {
  const environment = { BASE: await serving((_, response) => response.end('[1, 2]')) }
  const settings = { directory: 'suite', project: 'api', grep: '@quick', environment }
  const measured = await run(settings, scriptContext(await folderWith(suite)))
  expect(measured).toMatchObject({
    failure: null,
    broken: false,
    metrics: { responseTime: expect.any(Number), TTFB: null, FCP: null, LCP: 1500, CLS: 0.1, TBT: null },
    assertions: [
      { text: 'the list is short', passed: true },
      { text: 'the page is fast', passed: true },
    ],
  })
})

test('a suite of ES modules fails with the reason of its failed test', async () => {
  const environment = { BASE: await serving((_, response) => response.end('[1, 2]')) }
  const configDir = await folderWith({ ...suite, 'suite/package.json': '{"type": "module"}' })
  const { failure, broken, metrics } = await run({ directory: 'suite', environment }, scriptContext(configDir))
  expect(failure).toMatch(/^the list is long: expect\(received\)\.toHaveLength\(expected\); Expected length: 3; Received length: 2/)
  expect(broken).toBe(false)
  expect(metrics.responseTime).toBeGreaterThan(0)
})

describe('in a browser', needing(await chromiumMissing()), () => {
  const looks = `
    import { expect, test } from '@playwright/test'
    test('the page greets', async ({ page }) => {
      await page.goto(process.env.BASE + '/?' + encodeURIComponent(process.env.WORD))
      await expect(page.locator('h1')).toBeVisible()
    })
    test('the page says goodbye', async ({ page }) => {
      await page.goto(process.env.BASE + '/?' + encodeURIComponent(process.env.WORD))
      expect((await page.screenshot()).subarray(1, 4).toString()).toBe('PNG')
      await expect(page.locator('h2')).toBeVisible({ timeout: 100 })
    })`
  const greet = async (word: string, { files = {}, screenshotBytes = 100_000 } = {}) => {
    const url = await serving((request, response) => {
      const asked = decodeURIComponent(new URL(request.url ?? '', 'http://any').search.slice(1))
      response.setHeader('content-type', 'text/html; charset=utf-8').end(`<h1>Hello ${asked}</h1><input value="${asked}">`)
    })
    const configDir = await folderWith({ 'suite/playwright.config.ts': config, 'suite/tests/look.spec.ts': looks, ...files })
    const settings = { directory: 'suite', project: 'api', environment: { BASE: url, WORD: word } }
    return run(settings, scriptContext(configDir, { secrets: ['open sesame'], screenshotBytes }))
  }

  test('a failure has a screenshot with secrets redacted, also in a suite of ES modules', async () => {
    const [secret, hidden] = [await greet('open sesame'), await greet('•••', { files: { 'suite/package.json': '{"type": "module"}' } })]
    expect(secret.failure).toMatch(/^the page says goodbye: /)
    expect(Buffer.from(secret.screenshot ?? []).toString('hex')).toMatch(/^ffd8/)
    expect(secret.screenshot).toEqual(hidden.screenshot)
  })

  test('a screenshot beyond the size limit is dropped', async () => {
    const { failure, screenshot } = await greet('you', { screenshotBytes: 100 })
    expect(failure).toMatch(/^the page says goodbye: /)
    expect(screenshot).toBeNull()
  })
})

test('a suite sends no request to a denied address', async () => {
  let asked = 0
  const environment = { BASE: await serving((_, response) => response.end(String(asked++))) }
  const context = scriptContext(await folderWith(suite), { deny: ['127.0.0.0/8'] })
  const { failure, broken } = await run({ directory: 'suite', grep: 'short', environment }, context)
  expect(failure).toContain('the address 127.0.0.1 is not allowed for checks')
  expect(broken).toBe(true)
  expect(asked).toBe(0)
})

test('a folder without a configuration is rejected', async () => {
  const measured = await run({ directory: 'suite' }, scriptContext(await folderWith({ 'suite/list.spec.ts': tests })))
  expect(measured).toMatchObject({
    failure: 'there is no playwright.config.ts or .js in suite',
    broken: true,
    metrics: { responseTime: null },
  })
})
