// @slow ci
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testResult } from '../support/results.ts'
import { boxOf, eventually, inChromium, openReader, type Reader, settled, show } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('navigation between views', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    reader = await openReader(server.origin)
    page = reader.page
  })
  afterAll(() => server?.close())
  beforeEach(() => show(page, '/'))

  const check = () => {
    const [first] = server.checks
    if (first === undefined) throw new Error('There are no checks.')
    return first
  }
  const path = () => new URL(page.url()).pathname + new URL(page.url()).search
  const main = () => page.locator('[data-panel="main"]')
  const openCheck = async (query = '') => {
    await show(page, `/checks/${check().id}${query}`)
    await main().locator('canvas').waitFor()
  }
  const drag = async (share: number, to: number) => {
    const box = await boxOf(main().locator('.u-over'))
    await page.mouse.move(box.x + box.width * share, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * to, box.y + 60, { steps: 8 })
    await page.mouse.up()
  }

  test('another page of runs keeps the scroll position', async () => {
    await openCheck()
    const next = page.locator('[data-panel="runs"]').getByRole('link', { name: 'Next' })
    await next.scrollIntoViewIfNeeded()
    await page.locator('[data-panel="phases"] canvas').waitFor()
    await next.scrollIntoViewIfNeeded()
    const before = Number(await page.evaluate('scrollY'))
    expect(before).toBeGreaterThan(300)
    await next.click()
    await page.locator('[data-panel="runs"]').getByText('Page 2').waitFor()
    expect(Number(await page.evaluate('scrollY'))).toBeGreaterThan(before - 300)
  })

  test('the link back keeps filters, sort and window', async () => {
    const list = `/?search=${encodeURIComponent(check().name).replaceAll('%20', '+')}&sort=-name&quickRange=last7Days`
    await show(page, list)
    await page.getByRole('link', { name: check().name, exact: true }).click()
    await main().locator('canvas').waitFor()
    await page.getByLabel('Status').selectOption('success')
    await page.getByRole('link', { name: 'Badge', exact: true }).click()
    await page.getByRole('button', { name: 'plastic' }).click()
    await page.getByRole('link', { name: check().name, exact: true }).click()
    await eventually(path).toBe(`/checks/${check().id}?quickRange=last7Days&filterByStatus=success`)
    await page.reload()
    await page.getByLabel('Up').getByRole('link', { name: 'Checks', exact: true }).click()
    await eventually(path).toBe(list)
  })

  test('a double click undoes each zoom in turn', async () => {
    await openCheck('?quickRange=last7Days')
    await drag(0.8, 0.98)
    await eventually(path).toMatch(/from=/)
    const first = path()
    await eventually(() => main().getAttribute('aria-busy')).toBe('false')
    await drag(0.2, 0.8)
    await eventually(path).not.toBe(first)
    await eventually(() => main().getAttribute('aria-busy')).toBe('false')
    await page.getByRole('button', { name: 'Back to the window before' }).waitFor()
    await main().locator('.u-over').dblclick()
    await eventually(path).toBe(first)
    await eventually(() => main().getAttribute('aria-busy')).toBe('false')
    await page.getByRole('button', { name: 'Back to last 7 days' }).waitFor()
    await main().locator('.u-over').dblclick()
    await eventually(path).toBe(`/checks/${check().id}?quickRange=last7Days`)
  })

  test('the readout stays under a resting pointer when new results arrive', async () => {
    const error = `failure ${randomUUID()}`
    // A view whose code is already loaded replaces the previous one at once.
    await openCheck()
    await show(page, '/')
    await page.locator('.checks tbody tr').first().waitFor()
    await openCheck()
    await eventually(() => reader.requests.some((url) => url.includes('/v1/check-results/stream'))).toBe(true)
    await settled(page)
    // A chart is redrawn when its data arrive.
    const isInView = () =>
      main()
        .locator('.u-over')
        .scrollIntoViewIfNeeded({ timeout: 1000 })
        .then(
          () => true,
          () => false,
        )
    await eventually(isInView).toBe(true)
    const box = await boxOf(main().locator('.u-over'))
    // A check that begins to fail gets a panel above its charts, which move down.
    await page.mouse.move(box.x + box.width / 2, box.y + box.height - 10)
    const time = main().locator('.legend-time')
    await eventually(() => time.textContent()).not.toBe('')
    await server.store.append([testResult(check(), Date.now(), { hasFailures: true, error })])
    await page.locator('[data-panel="runs"]').getByText(error).waitFor()
    await eventually(() => main().getAttribute('aria-busy')).toBe('false')
    await eventually(() => time.textContent()).not.toBe('')
  })

  test('a tab is refreshed as soon as it becomes visible again', async () => {
    await page.locator('.day-bar[role=img]').first().waitFor()
    const show = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await show('hidden')
    const before = reader.requests.length
    await show('visible')
    await eventually(() => reader.requests.slice(before).some((url) => url.includes('/v1/check-statuses'))).toBe(true)
  })
})
