// @slow
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseConfig } from '../../src/catalogue/parse.ts'
import { account, readKey } from '../support/catalogue.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { layoutShift } from './layout-shift.ts'
import { copied, expectAccessible, expectQuiet, openReader } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 60_000 }
const looks = [1280, 360].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))

describe('an account without checks', options, () => {
  let browser: Browser
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ checks: [] })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  test.each(looks)('shows what to do next, with a config to paste, at $width px, $scheme', async (look) => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await page.getByLabel('Account').fill(account)
    await page.getByLabel('API key').fill(readKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Add the first check', level: 1 }).waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByLabel('What to watch').waitFor()
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.02)
    const offered = await page.getByLabel('What to watch').locator('option').allTextContents()
    expect(offered.length).toBeGreaterThan(3)
    for (const label of offered) {
      await page.getByLabel('What to watch').selectOption(label)
      const parsed = parseConfig(await copied(page, 'For the config file'), {})
      expect('faults' in parsed ? parsed.faults : parsed.config.checks.map((check) => [check.account, check.checkType.label])).toEqual([
        [account, label],
      ])
    }
    await page.getByRole('link', { name: 'SLOs' }).click()
    const slos = parseConfig(await copied(page, 'For the config file'), {})
    expect('faults' in slos ? slos.faults : []).toEqual([])
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('link', { name: 'How to add a check' }).click()
    await page.getByRole('heading', { name: 'Add the first check', level: 1 }).waitFor()
    expectQuiet(reader, server.origin)
    await reader.close()
  })
})
