// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'
import { boxOf, expectQuiet, inChromium, lookAt, looks, openReader, type Reader, show } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('the locations of a check', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
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
    reader = await openReader(server.origin)
    page = reader.page
  })
  afterAll(() => server?.close())

  test.each(looks)('are listed with state, figures and a sparkline, at $width px, $scheme', async (look) => {
    await lookAt(page, look)
    const { id, locations } = checkWithDuration()
    await show(page, `/checks/${id}`)
    const rows = page.locator('[data-panel="locations"] tbody tr')
    await page.locator('[data-panel="locations"]').scrollIntoViewIfNeeded()
    await rows.first().waitFor()
    const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
    expect(cells.map(([name]) => name)).toEqual(locations)
    expect(cells.map(([, state]) => state)).toEqual(['passing', 'failing'])
    for (const [, , availability, p50, p95] of cells) {
      expect(availability).toMatch(/^[\d.]+ %$/)
      for (const time of [p50, p95]) expect(time).toMatch(/^[\d.]+ m?s$/)
    }
    for (const path of await rows.locator('.spark path').all()) expect(await path.getAttribute('d')).toMatch(/^M.*L/)
    expectQuiet(reader, server.origin)
  })

  test('have no table if there are none', async () => {
    const pinged = server.checks.find(({ checkType }) => checkType.pingSettings !== undefined)
    await show(page, `/checks/${pinged?.id}`)
    await page.locator('[data-panel="runs"] tbody tr').first().waitFor()
    expect(await page.locator('[data-panel="locations"]').count()).toBe(0)
    await page.locator('[data-panel="runs"] tbody a').first().click()
    await page.getByRole('heading', { name: /^Run of /, level: 1 }).waitFor()
    expect(await page.locator('.tile dt').allTextContents()).not.toContain('Location')
    await page.getByText('Pings and results that were sent').waitFor()
  })
})

describe('many locations of a check', inChromium, () => {
  const locations = Array.from({ length: 40 }, (_, i) => `eu-central-region-${i}`)
  const check = testCheck(anyRunType(), { id: 'many', locations })
  const error = 'status 503, expected 200: the server of the basket has closed the connection'
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks: [check], days: 0 })
    await server.store.append(locations.map((runLocation) => testResult(check, Date.now(), { runLocation, hasFailures: true, error })))
    page = (await openReader(`${server.origin}/checks/many`)).page
  })
  afterAll(() => server?.close())

  test('are collapsed in the head of the page, and link to their runs', async () => {
    await show(page, '/checks/many')
    const fold = page.locator('.locations-fold')
    await fold.getByText('40 locations').waitFor()
    expect(await fold.locator('a').first().isVisible()).toBe(false)
    await fold.getByText('40 locations').click()
    await fold.getByRole('link', { name: 'eu-central-region-38' }).click()
    await page.waitForURL(/location=eu-central-region-38/)
  })

  test('leave space for the reason of a failure', async () => {
    await show(page, '/checks/many')
    for (const name of ['failures', 'outages']) {
      const panel = page.locator(`[data-panel="${name}"]`)
      await panel.scrollIntoViewIfNeeded()
      await panel.getByText('and 35 more').waitFor()
      expect(await panel.locator('.rows-table').evaluate((table) => table.scrollWidth - table.clientWidth)).toBe(0)
      const cell = panel.locator('td', { hasText: 'status 503' }).first()
      expect((await boxOf(cell)).width).toBeGreaterThan(250)
    }
    await page.locator('[data-panel="failures"]').getByText('and 35 more').click()
    await page.locator('[data-panel="failures"]').getByRole('link', { name: 'eu-central-region-39' }).click()
    await page.waitForURL(/location=eu-central-region-39/)
  })
})
