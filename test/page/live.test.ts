// @slow
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { expectQuiet, openReader, signIn } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 90_000 }
const look = { width: 1280, scheme: 'light' } as const
const isStream = (url: string) => url.includes('/v1/check-results/stream?')
const isSummary = (url: string) => url.includes('/v1/analytics/checks?')
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 30_000 })

describe('live results on the page', options, () => {
  let browser: Browser
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test('a new result of a check that is shown appears without a reload', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    const [check] = server.checks
    if (check === undefined) throw new Error('There are no checks.')
    const opened = page.waitForResponse((response) => response.url().endsWith(`/v1/check-results/stream?checkId=${check.id}`))
    await page.goto(`${server.origin}/checks/${check.id}`)
    const runs = page.locator('[data-panel="runs"] tbody')
    await runs.locator('tr').first().waitFor()
    await opened
    await server.store.append([testResult(check, Date.now(), { hasFailures: true, error: 'the live failure' })])
    await runs.getByText('the live failure').waitFor({ timeout: 30_000 })
    expectQuiet(reader, server.origin)
    await reader.close()
  })

  test('the list is refreshed after a new result, once for many of them', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page, requests } = reader
    const opened = page.waitForResponse((response) => isStream(response.url()))
    await signIn(page)
    await page.locator('.day-bar[role=img]').first().waitFor()
    const stream = (await opened).url()
    for (const { id } of server.checks) expect(stream).toContain(id)
    const before = requests.filter(isSummary).length
    await server.store.append(server.checks.flatMap((check) => [0, 1, 2].map((i) => testResult(check, Date.now() + i))))
    await eventually(() => requests.filter(isSummary).length).toBe(before + 1)
    await reader.close()
  })

  test('a page that is left closes its stream', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page, requests } = reader
    const ended: string[] = []
    page.on('requestfailed', (request) => ended.push(request.url()))
    await signIn(page)
    await eventually(() => requests.filter(isStream).length).toBeGreaterThan(0)
    await page.getByRole('link', { name: 'SLOs' }).click()
    await eventually(() => ended.filter(isStream).length).toBe(requests.filter(isStream).length)
    await reader.close()
  })
})
