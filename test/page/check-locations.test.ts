// @slow
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { expectAccessible, expectQuiet, openReader, signIn } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 60_000 }
const looks = [1280, 360].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))

describe('the locations of a check', options, () => {
  let browser: Browser
  let server: PageServer
  const checkWithDuration = () => {
    const check = server.checks.find(({ checkType, locations }) => checkType.duration !== null && locations.length > 1)
    if (check === undefined) throw new Error('No check has a duration.')
    return check
  }
  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    const check = checkWithDuration()
    await server.store.append([
      testResult(check, Date.now(), { runLocation: check.locations[1] ?? '', hasFailures: true, error: 'it broke' }),
    ])
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test.each(looks)('are a table with state, figures and a line each, at $width px, $scheme', async (look) => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    const { id, locations } = checkWithDuration()
    await page.goto(`${server.origin}/checks/${id}`)
    const rows = page.locator('[data-panel="locations"] tbody tr')
    await rows.first().waitFor()
    const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
    expect(cells.map(([name]) => name)).toEqual(locations)
    expect(cells.map(([, state]) => state)).toEqual(['passing', 'failing'])
    for (const [, , availability, p50, p95] of cells) {
      expect(availability).toMatch(/^[\d.]+ %$/)
      for (const time of [p50, p95]) expect(time).toMatch(/^[\d.]+ m?s$/)
    }
    for (const path of await rows.locator('.spark path').all()) expect(await path.getAttribute('d')).toMatch(/^M.*L/)
    await expectAccessible(page)
    expectQuiet(reader, server.origin)
    await reader.close()
  })

  test('are no table where a check has none', async () => {
    const { page, close } = await openReader(browser, server.origin, { width: 1280, scheme: 'light' })
    await signIn(page)
    const pinged = server.checks.find(({ checkType }) => checkType.pingSettings !== undefined)
    await page.goto(`${server.origin}/checks/${pinged?.id}`)
    await page.locator('[data-panel="runs"] tbody tr').first().waitFor()
    expect(await page.locator('[data-panel="locations"]').count()).toBe(0)
    await close()
  })
})
