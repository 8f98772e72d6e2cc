// @slow
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKey } from '../support/catalogue.ts'
import { needing, programMissing } from '../support/needs.ts'
import {
  boxOf,
  copied,
  eventually,
  expectAccessible,
  expectQuiet,
  inSteps,
  openVisitor,
  pickWindow,
  type Reader,
  signIn,
  stopAtFailure,
  wide,
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const curl = needing(await programMissing('curl'))

describe.each([wide])('at $width px, $scheme', inSteps, (look) => {
  let server: PageServer
  let reader: Reader
  let page: Page

  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    reader = await openVisitor(server.origin, look)
    page = reader.page
  })
  afterAll(() => server?.close())
  stopAtFailure()

  const phased = () => server.checks.find(({ checkType }) => checkType.phases.length > 0 && checkType.groupBy.length > 1)
  const main = () => page.locator('[data-panel="main"]')

  test('the page asks for key and account, and then shows the account', async () => {
    await page.getByLabel('Account').waitFor()
    await expectAccessible(page)
    await signIn(page)
    expect(await page.locator('.account').textContent()).toContain('acme')
    for (const { name } of server.checks) await page.getByRole('link', { name, exact: true }).waitFor()
    await page
      .locator('.day-bar[role=img]')
      .nth(server.checks.length - 1)
      .waitFor()
    await expectAccessible(page)
  })

  test('a check is found as its name is typed', async () => {
    const name = phased()?.name ?? ''
    await page.getByLabel('Search').fill(name.toLowerCase())
    await eventually(() => page.locator('.checks tbody tr').count()).toBe(1)
    expect(page.url()).toContain('search=')
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await main().locator('canvas').waitFor()
  })

  test('another window and a grouping have their own URLs and charts', async () => {
    await pickWindow(page, 'Last 7 days')
    await eventually(() => page.url()).toContain('quickRange=last7Days')
    await page.getByLabel('Group by').selectOption('runLocation')
    await eventually(() => page.url()).toContain('groupBy=runLocation')
    for (const location of phased()?.locations ?? []) await main().getByRole('button', { name: location }).waitFor()
    await expectAccessible(main())
  })

  test('the legend hides and shows a group', async () => {
    const group = main().getByRole('button', { name: 'eu-west-1' })
    await group.click()
    expect(await group.getAttribute('aria-pressed')).toBe('false')
    await group.click()
    expect(await group.getAttribute('aria-pressed')).toBe('true')
  })

  test('dragging over a chart zooms into it', async () => {
    const box = await boxOf(main().locator('.u-over'))
    await page.mouse.move(box.x + box.width * 0.86, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.98, box.y + 60, { steps: 8 })
    await page.mouse.up()
    await eventually(() => page.url()).toMatch(/from=.*to=/)
    await eventually(() => main().getAttribute('aria-busy')).toBe('false')
  })

  test('the curl command returns the numbers of the chart', curl, async () => {
    await main()
      .getByRole('button', { name: /^Export/ })
      .click()
    const line = await copied(page, 'For a shell')
    await expectAccessible(page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Close' }).click()
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { env: { ...process.env, TIDEMARK_KEY: readKey } })
    const rows = JSON.parse(stdout).series.flatMap(({ data }: { data: Record<string, unknown>[] }) => data)
    expect(rows.length).toBeGreaterThan(3)
    await main().getByRole('button', { name: 'Table' }).click()
    const shown = await main()
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.getAttribute('title'))))
    expect(shown).toEqual(
      rows.map((row: Record<string, unknown>) => Object.values(row).map((value) => (value === null ? '' : String(value)))),
    )
    await main().getByRole('button', { name: 'Table' }).click()
  })

  test('the arrow keys read the chart aloud', async () => {
    const slider = main().getByRole('slider')
    await slider.focus()
    const before = await slider.getAttribute('aria-valuetext')
    await slider.press('ArrowLeft')
    await eventually(() => slider.getAttribute('aria-valuetext')).not.toBe(before)
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/eu-west-1 [\d.,]+ m?s/)
  })

  test('a badge is configured, previewed on light and dark, and copied', async () => {
    await page.getByRole('link', { name: 'Badge', exact: true }).click()
    await page.getByRole('button', { name: 'for-the-badge' }).click()
    await page.getByRole('button', { name: 'a metric' }).click()
    await expect
      .poll(() =>
        page
          .locator('.badge-preview img')
          .evaluateAll((all) => all.filter((image) => 'naturalWidth' in image && Number(image.naturalWidth) > 60).length),
      )
      .toBe(2)
    expect(await copied(page, 'Markdown')).toContain(`/v1/badges/checks/${phased()?.id}?style=for-the-badge&metric=availability`)
    await expectAccessible(page)
  })

  test('the back button leads back to the zoomed chart, the unzoomed one, and the list', async () => {
    await page.goBack()
    await eventually(() => page.url()).toMatch(/groupBy=runLocation.*from=/)
    await main().locator('canvas').waitFor()
    await page.goBack()
    await eventually(() => page.url()).toContain('quickRange=last7Days&groupBy=runLocation')
    await page.reload()
    await main().getByRole('button', { name: 'eu-west-1' }).waitFor()
    await page.getByLabel('Up').getByRole('link', { name: 'Checks', exact: true }).click()
    await page.locator('.checks').waitFor()
  })

  test('signing out forgets the key', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage }) + document.cookie')).toBe('{}')
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})
