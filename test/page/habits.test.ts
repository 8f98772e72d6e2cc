// @slow
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { presets } from '../../src/web/state/window.ts'
import { readKey, testCheck } from '../support/catalogue.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { boxOf, expectQuiet, openReader, openWindowPicker, pickWindow, pixelsOf, signIn } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 60_000 }
const look = { width: 1280, scheme: 'light' } as const
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 20_000 })

describe('the page', options, () => {
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

  test('signs in by a one-time link, which shows an error when used again', async () => {
    const link = `${server.origin}/#code=${server.code}`
    const first = await openReader(browser, link, look)
    await first.page.getByRole('heading', { name: 'Checks' }).waitFor()
    expect(first.page.url()).toBe(`${server.origin}/`)
    expectQuiet(first, server.origin)
    await first.close()
    const second = await openReader(browser, link, look)
    await second.page.getByRole('alert').getByText('This link was used already').waitFor()
    await second.close()
  })

  test('shows what is wrong with a key', async () => {
    const { page, close } = await openReader(browser, server.origin, look)
    await page.getByLabel('Account').fill('acme')
    await page.getByLabel('API key').fill('tdm_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('tidemark key create').waitFor()
    await close()
  })

  test('shows what to do where a check does not exist', async () => {
    const { page, close } = await openReader(browser, `${server.origin}/checks/nobody`, look)
    await page.getByLabel('Account').fill('acme')
    await page.getByLabel('API key').fill(readKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('There is no such check').waitFor()
    await page.getByRole('link', { name: 'All checks of this account' }).click()
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    await close()
  })

  test('copies where the browser has no clipboard for pages, and says what to do where it cannot', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })")
    await signIn(page)
    await page.goto(`${server.origin}/checks/${server.checks[0]?.id}`)
    await page.getByRole('button', { name: 'Export Runs' }).click()
    const dialog = page.getByRole('dialog')
    const text = (await dialog.locator('pre').textContent()) ?? ''
    const copy = dialog.getByRole('button', { name: 'Copy: For a shell' })
    await copy.click()
    await dialog.getByText('Copied').waitFor()
    await page.evaluate("document.querySelector('dialog').append(document.createElement('textarea'))")
    await dialog.locator('textarea').press('ControlOrMeta+v')
    await eventually(() => dialog.locator('textarea').inputValue()).toBe(text)
    await page.evaluate('document.execCommand = () => false')
    await copy.click()
    await dialog.getByText('The text is selected').waitFor()
    expect(await page.evaluate('String(getSelection())')).toBe(text)
    await reader.close()
  })

  test('cancels what a left view was waiting for', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    const cancelled: string[] = []
    page.on('requestfailed', (request) => cancelled.push(request.url()))
    await page.route('**/v1/analytics/*/*', () => {})
    await page.getByRole('link', { name: server.checks[0]?.name ?? '', exact: true }).click()
    await page.locator('[data-panel="main"] .skeleton').waitFor()
    await page.goBack()
    await eventually(() => cancelled.filter((url) => url.includes('/v1/analytics/')).length).toBeGreaterThan(1)
    await reader.close()
  })

  test('keeps the last chart while another loads', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    await page.getByRole('link', { name: server.checks[0]?.name ?? '', exact: true }).click()
    const main = page.locator('[data-panel="main"]')
    await main.locator('canvas').waitFor()
    await page.route('**/v1/analytics/*/*', () => {})
    await page.getByLabel('Aggregation').selectOption('max')
    await eventually(() => main.getAttribute('aria-busy')).toBe('true')
    expect(await main.locator('canvas').count()).toBe(1)
    await reader.close()
  })

  test('zooms into a chart by a finger that moves sideways', async () => {
    const reader = await openReader(browser, server.origin, { width: 360, scheme: 'light' })
    const { page } = reader
    await signIn(page)
    await page.getByRole('link', { name: server.checks[0]?.name ?? '', exact: true }).click()
    const over = page.locator('[data-panel="main"] .u-over')
    const scrolled = () => over.scrollIntoViewIfNeeded().then(() => true)
    await eventually(() => scrolled().catch(() => false)).toBe(true)
    const box = await boxOf(over)
    const finger = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) => {
      const touchPoints = type === 'touchEnd' ? [] : [{ x: box.x + box.width * share, y: box.y + 50 }]
      return finger.send('Input.dispatchTouchEvent', { type, touchPoints })
    }
    await touch('touchStart', 0.5)
    for (const share of [0.55, 0.6, 0.7, 0.8]) await touch('touchMove', share)
    await touch('touchEnd', 0.8)
    await eventually(() => page.url()).toMatch(/from=.*to=/)
    await reader.close()
  })

  test('shows a time in the zone of the reader, with UTC on hover', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    await page.goto(`${server.origin}/checks/${server.checks[0]?.id}`)
    const time = page.locator('[data-panel="runs"] time').first()
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    await reader.close()
  })

  test('shows the type and the tags of a check at every width', async () => {
    for (const width of [360, 800, 1280]) {
      const reader = await openReader(browser, server.origin, { width, scheme: 'light' })
      const { page } = reader
      await signIn(page)
      for (const { name, tags, checkType } of server.checks) {
        const row = page.locator('.checks tbody tr').filter({ has: page.getByRole('link', { name, exact: true }) })
        expect(await row.getByText(checkType.label).isVisible()).toBe(true)
        for (const tag of tags) expect(await row.getByRole('link', { name: tag, exact: true }).isVisible()).toBe(true)
      }
      await page.getByRole('link', { name: 'network', exact: true }).first().click()
      const tagged = server.checks.filter(({ tags }) => tags.includes('network'))
      await eventually(() => page.locator('.checks tbody tr').count()).toBe(tagged.length)
      await reader.close()
    }
  })

  test('fits the badge of every check on a narrow screen', async () => {
    const reader = await openReader(browser, server.origin, { width: 360, scheme: 'light' })
    const { page } = reader
    await signIn(page)
    for (const { id } of server.checks) {
      await page.goto(`${server.origin}/checks/${id}/badge?metric=availability&style=for-the-badge`)
      await page.locator('.badge-preview img').first().waitFor()
      const rights = await page
        .locator('main :is(select, input, button, img, pre)')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right))
      expect(Math.max(...rights)).toBeLessThanOrEqual(360 - 12)
    }
    await reader.close()
  })

  test('labels the columns of runs and of numbers, with the name for programs on hover', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    for (const { id, checkType } of server.checks) {
      await page.goto(`${server.origin}/checks/${id}`)
      await page.locator('[data-panel="runs"] tbody tr').first().waitFor()
      const heads = await page
        .locator('[data-panel="runs"] th[title]')
        .evaluateAll((all) => all.map((head) => [head.getAttribute('title'), head.textContent]))
      for (const [name, words] of heads) expect(words).toBe(checkType.metrics[name ?? '']?.label)
      if (checkType.duration !== null) expect(heads.map(([name]) => name)).toContain(checkType.duration)
    }
    await page.goto(`${server.origin}/checks/${server.checks[0]?.id}?aggregation=p95`)
    const main = page.locator('[data-panel="main"]')
    await main.getByRole('button', { name: 'Table' }).click()
    expect(await main.getByRole('columnheader').allTextContents()).toEqual([expect.stringMatching(/^Period, \S+$/), 'Response time, p95'])
    await reader.close()
  })

  test('draws values with gaps around them', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    const [from, to] = [2, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString())
    const cut = `from=${from}&to=${to}&aggregationInterval=1&groupBy=runLocation&metric=responseTime`
    await page.goto(`${server.origin}/checks/${server.checks[0]?.id}?${cut}`)
    await page.locator('[data-panel="main"] canvas').waitFor()
    await eventually(() => pixelsOf(page, 'main', 'series-1')).toBeGreaterThan(100)
    await reader.close()
  })

  test('shows that figures could not be loaded, and stops waiting', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    await page.route('**/v1/analytics/**', (route) => route.fulfill({ status: 500, json: { message: 'It broke.' } }))
    await page.reload()
    await page.getByRole('alert').getByText('It broke.').waitFor()
    expect(await page.locator('.checks td.number').first().textContent()).toBe('–')
    await page.goto(`${server.origin}/checks/${server.checks[0]?.id}`)
    await page.getByRole('alert').first().waitFor()
    await eventually(() => page.locator('.tile dd').first().textContent()).toBe('–')
    expect(await page.locator('main .skeleton').count()).toBe(0)
    await page.unroute('**/v1/analytics/**')
    await page.locator('[data-panel="main"]').getByRole('button', { name: 'Try again' }).click()
    await page.locator('[data-panel="main"] canvas').waitFor()
    await page.locator('.tiles').getByRole('button', { name: 'Try again' }).click()
    await eventually(() => page.locator('.tile dd').first().textContent()).toMatch(/%$/)
    for (const panel of ['failures', 'locations', 'outages'].map((name) => page.locator(`[data-panel="${name}"]`))) {
      await panel.getByRole('button', { name: 'Try again' }).click()
      await panel.getByRole('alert').waitFor({ state: 'detached' })
    }
    await reader.close()
  })

  test.each(['/overview', '/wall', '/locations', '/slos', `/checks/{id}/runs/any`])('offers to try again on %s', async (view) => {
    const reader = await openReader(browser, server.origin, look)
    const { page } = reader
    await signIn(page)
    await page.route('**/v1/**', (route) => route.fulfill({ status: 500, json: { message: 'It broke.' } }))
    await page.goto(server.origin + view.replace('{id}', server.checks[0]?.id ?? ''))
    await page.getByText('It broke.').first().waitFor()
    await page.unroute('**/v1/**')
    const again = () => page.getByRole('button', { name: 'Try again' })
    await eventually(async () => {
      if ((await page.getByText('It broke.').count()) > 0) await again().first().click()
      return page.getByText('It broke.').count()
    }).toBe(0)
    await reader.close()
  })

  test.each(['/v1/check-types', '/v1/checks/', '/v1/check-statuses', '/v1/maintenance'])(
    'shows a check and its badge when %s works again',
    async (failing) => {
      const reader = await openReader(browser, server.origin, look)
      const { page } = reader
      await signIn(page)
      for (const view of ['', '/badge']) {
        await page.route(`**${failing}**`, (route) => route.fulfill({ status: 500, json: { message: 'It broke.' } }))
        await page.goto(`${server.origin}/checks/${server.checks[0]?.id}${view}`)
        const shown = page.getByRole('heading', { level: 1 })
        await page.getByRole('button', { name: 'Try again' }).or(shown).first().waitFor()
        await eventually(() => page.locator('main > .skeleton').count()).toBe(0)
        await page.unroute(`**${failing}**`)
        if (!(await shown.isVisible())) await page.getByRole('button', { name: 'Try again' }).click()
        await shown.waitFor()
      }
      await reader.close()
    },
  )
})

describe('with a thousand checks', options, () => {
  let browser: Browser
  let server: PageServer
  beforeAll(async () => {
    const types = oneOfEach()
    const checks = Array.from({ length: 1000 }, (_, index) => {
      const like = types[index % types.length] ?? types[0]
      if (like === undefined) throw new Error('There are no check types.')
      return testCheck(like.checkType, { ...like, id: `check-${index}`, name: `Check number ${index}`, locations: [] })
    })
    server = await startPageServer({ checks, days: 0 })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  /** An open stream would keep the network from ever being idle. */
  const withoutStream = (page: Page) => page.route('**/v1/check-results/stream?*', (route) => route.fulfill({ status: 204 }))

  test('a page of the list takes one call of the summary, whatever the window', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page, requests } = reader
    await withoutStream(page)
    await signIn(page)
    await page.getByText('1,000 checks').waitFor()
    const summaries = () => requests.filter((url) => url.includes('/v1/analytics/checks?'))
    const oneMoreCall = async (act: () => Promise<unknown>) => {
      const before = summaries().length
      const answered = page.waitForResponse((response) => response.url().includes('/v1/analytics/checks?'))
      await act()
      await answered
      await page.locator('.checks[aria-busy=false] tbody tr:nth-child(100) .day-bar[role=img]').waitFor()
      await page.waitForLoadState('networkidle')
      expect(summaries()).toHaveLength(before + 1)
    }
    await page.locator('.day-bar[role=img]').nth(99).waitFor()
    expect(summaries()).toHaveLength(1)
    await oneMoreCall(() => page.getByRole('link', { name: 'Next' }).click())
    for (const preset of Object.values(presets).toReversed()) await oneMoreCall(() => pickWindow(page, preset))
    const picker = await openWindowPicker(page)
    await picker.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
    await oneMoreCall(() => picker.getByRole('button', { name: 'Show', exact: true }).click())
    expect(await page.locator('.checks tbody tr').count()).toBe(100)
    expectQuiet(reader, server.origin)
    await reader.close()
  })

  test('sorting by a figure requests each check once', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page, requests } = reader
    await withoutStream(page)
    await signIn(page)
    await page.locator('.day-bar[role=img]').nth(99).waitFor()
    await page.getByRole('button', { name: 'Availability' }).click()
    const summaries = () => requests.filter((url) => url.includes('/v1/analytics/checks?'))
    await eventually(() => summaries().length).toBe(10)
    await page.waitForLoadState('networkidle')
    await pickWindow(page, 'Last 7 days')
    await eventually(() => summaries().length).toBe(20)
    await reader.close()
  })

  test('searching among them requests only the figures of the matches', async () => {
    const reader = await openReader(browser, server.origin, look)
    const { page, requests } = reader
    await signIn(page)
    await page.getByText('1,000 checks').waitFor()
    await page.getByLabel('Search').fill('number 999')
    await eventually(() => page.locator('.checks tbody tr').count()).toBe(1)
    await page.locator('.day-bar[role=img]').waitFor()
    expect(requests.filter((url) => url.includes('/v1/checks?limit=100'))).toHaveLength(10)
    await reader.close()
  })
})
