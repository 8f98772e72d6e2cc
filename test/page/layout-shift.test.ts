// @slow
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../../src/time.ts'
import { testSlo } from '../support/catalogue.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { openReader, signIn } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 120_000 }
const limit = 0.02

const checks = oneOfEach()
const phased = checks.find(({ checkType }) => checkType.phases.length > 0)
const maintenance = [{ name: 'Database move', from: Date.now() - hourMs, to: Date.now() + hourMs, checks: [], tags: [] }]

/** Runs in the page: sums up how far elements move without being asked to. */
const observe = `
  window.shifts = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput) shifts.push({ value: entry.value, of: entry.sources.map(({ node }) => node?.className ?? node?.nodeName) })
  }).observe({ type: 'layout-shift', buffered: true })
`

describe.each([1280, 360])('at %i px', options, (width) => {
  let browser: Browser
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 1, policies: { slos: [testSlo('all')], maintenance } })
    browser = await launchChromium()
    page = (await openReader(browser, server.origin, { width, scheme: 'light' })).page
    await page.addInitScript(observe)
    await signIn(page)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  /** Answers arrive one after the other, each a little later than the one before. */
  const delayed = async () => {
    let requests = 0
    await page.route('**/v1/**', async (route) => {
      const after = (requests++ % 8) * 120
      await new Promise((resolve) => setTimeout(resolve, after))
      await route.continue().catch(() => {})
    })
  }

  test.each([
    ['the list', '/', '.checks .day-bar[role=img]'],
    ['the list of SLOs', '/slos', '.slo'],
    ['an SLO', '/slos/all', '[data-panel="burn-down"] canvas'],
    ['a badge', `/checks/${checks[0]?.id}/badge`, '.badge-preview img'],
    ['a check in the last hour', `/checks/${phased?.id}?quickRange=last1Hour`, '[data-panel="runs"] tbody tr'],
    ['a check by location', `/checks/${phased?.id}?groupBy=runLocation`, '[data-panel="main"] canvas'],
    ['a check by status code', `/checks/${phased?.id}?groupBy=statusCode`, '[data-panel="main"] canvas'],
    ['a check without runs', `/checks/${phased?.id}?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`, '[data-panel="runs"] .notice'],
    ...checks.map(({ id, checkType }) => [`a check of type ${checkType.type}`, `/checks/${id}`, '[data-panel="runs"] tbody tr']),
  ])('nothing moves while %s loads', async (_, path, last) => {
    await delayed()
    await page.goto(server.origin + path)
    await page.locator(last).first().waitFor()
    await expect.poll(() => page.locator('main [aria-busy=true]').count(), { timeout: 20_000 }).toBe(0)
    await expect.poll(() => page.locator('main .skeleton').count(), { timeout: 20_000 }).toBe(0)
    await page.unroute('**/v1/**')
    const shifts = (await page.evaluate('shifts')) as { value: number; of: string[] }[]
    const sum = shifts.reduce((total, { value }) => total + value, 0)
    expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(limit)
  })
})
