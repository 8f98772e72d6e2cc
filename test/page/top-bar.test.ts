// @slow
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../support/catalogue.ts'
import { boxOf, eventually, inChromium, openReader, openWindowPicker, resize, show } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('the top bar and the filters', inChromium, () => {
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ days: 0 })
    page = (await openReader(server.origin)).page
  })
  afterAll(() => server?.close())

  const isInSight = async (part: Locator, width: number) => {
    const { x, y, width: own } = await boxOf(part)
    return x >= 0 && x + own <= width && y >= 0 && y < 300
  }

  test.each([360, 768, 1024])('the account, the window and every filter are visible at %i px', async (width) => {
    await resize(page, { width, height: 800 })
    await show(page, '/')
    await page.locator('.checks tbody tr').first().waitFor()
    const filters = ['Search', 'State', 'Type', 'Tag', 'Location'].map((label) => page.getByLabel(label, { exact: true }))
    const parts = [page.locator('.top .account b'), page.getByRole('button', { name: /^Window / }), ...filters]
    for (const part of parts) expect(await isInSight(part, width)).toBe(true)
    expect(await page.locator('.top .account b').evaluate((name) => name.scrollWidth <= (name.parentElement?.clientWidth ?? 0))).toBe(true)
    expect(await page.locator('.top .account b').textContent()).toBe(account)
    const picker = await openWindowPicker(page)
    const { x, width: own } = await boxOf(picker)
    expect([x >= 0, x + own <= width]).toEqual([true, true])
    await page.keyboard.press('Escape')
  })

  test('the first tab stop skips the bar', async () => {
    await resize(page, { width: 1280, height: 800 })
    await page.goto(server.origin)
    await page.locator('.checks tbody tr').first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await eventually(() => page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)
    expect(new URL(page.url()).hash).toBe('')
  })

  test.each([
    ['/', 'Checks', 'page'],
    [`/checks/nobody`, 'Checks', 'true'],
    ['/slos', 'SLOs', 'page'],
    ['/alerts/none', 'Alerts', 'true'],
  ])('%s marks %s as the current view', async (path, name, mark) => {
    await show(page, path)
    const current = page.getByLabel('Views').locator('[aria-current]')
    await eventually(() => current.allTextContents()).toEqual([name])
    expect(await current.getAttribute('aria-current')).toBe(mark)
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.views [aria-current]')).textDecorationLine`)).toBe('underline')
  })
})
