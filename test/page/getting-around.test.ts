// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import {
  boxOf,
  eventually,
  expectAccessible,
  expectQuiet,
  inChromium,
  lookAt,
  narrow,
  openReader,
  openWindowPicker,
  pickWindow,
  type Reader,
  resize,
  show,
  wide,
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('navigation', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    reader = await openReader(server.origin, narrow)
    page = reader.page
  })
  afterAll(() => server?.close())

  const check = () => server.checks[0] as Check
  const main = () => page.locator('[data-panel="main"]')

  test('the palette finds checks, tags and views, with only the keyboard', async () => {
    await page.locator('.checks').waitFor()
    await page.keyboard.press('/')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await palette.getByRole('option').first().waitFor()
    await expectAccessible(palette)
    await page.keyboard.type(check().name.toLowerCase())
    await eventually(() => palette.getByRole('option', { selected: true }).textContent()).toContain(check().name)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: check().name, level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('slos')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'SLOs', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('no such thing')
    await palette.getByText('No matches.').waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Go to/ }).click()
    await palette.getByRole('combobox').fill('network')
    await palette.getByRole('option', { name: /^Tag/ }).click()
    await eventually(() => page.url()).toContain('/?tag=network')
    await page.locator('.checks tbody tr').first().waitFor()
  })

  test('the window picker opens over the charts, closes with Escape, and shifts nothing', async () => {
    await show(page, `/checks/${check().id}`)
    await main().locator('canvas').waitFor()
    const before = await boxOf(main())
    const picker = await openWindowPicker(page)
    await picker.getByRole('button', { name: 'Last 90 days' }).waitFor()
    await expectAccessible(picker)
    expect(await boxOf(main())).toEqual(before)
    await page.keyboard.press('Escape')
    await picker.waitFor({ state: 'hidden' })
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('Last 24 hours')
  })

  test('a rolling window without a preset in the API has a URL, and shows results up to now', async () => {
    await pickWindow(page, 'Last 6 hours')
    await eventually(() => page.url()).toContain('quickRange=last6Hours')
    await eventually(() => main().getAttribute('aria-busy')).toBe('false')
    const asked = reader.requests.filter((url) => url.includes('/v1/analytics/') && url.includes('from=')).at(-1) ?? ''
    const { searchParams } = new URL(asked)
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
    expect((to ?? 0) - (from ?? 0)).toBe(6 * 3_600_000)
    await page.reload()
    await page.getByRole('button', { name: 'Window Last 6 hours' }).waitFor()
  })

  describe('the theme', () => {
    beforeAll(async () => {
      await lookAt(page, wide)
      await show(page, `/checks/${check().id}`)
      await main().locator('canvas').waitFor()
    })

    beforeEach(async () => {
      await page.getByLabel('Colours').selectOption('system')
    })

    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')

    test('follows the system, and a choice overrides it until it is reset', async () => {
      await page.emulateMedia({ colorScheme: 'light' })
      await eventually(theme).toBe('light')
      const light = await ground()
      await page.emulateMedia({ colorScheme: 'dark' })
      await eventually(ground).not.toBe(light)
      const dark = await ground()
      await page.getByLabel('Colours').selectOption('light')
      await eventually(ground).toBe(light)
      await page.reload()
      await main().locator('canvas').waitFor()
      expect(await ground()).toBe(light)
      await page.getByLabel('Colours').selectOption('system')
      await eventually(ground).toBe(dark)
      expect(await page.evaluate('localStorage.length')).toBe(0)
    })

    test('repaints charts', async () => {
      const picture = () => page.evaluate(`document.querySelector('[data-panel="main"] canvas').toDataURL()`)
      const before = await picture()
      await page.getByLabel('Colours').selectOption('light')
      await eventually(picture).not.toBe(before)
      await page.getByLabel('Colours').selectOption('system')
      await eventually(picture).toBe(before)
    })
  })

  test('a wide screen is used fully, with charts side by side', async () => {
    await resize(page, { width: 2560, height: 800 })
    await show(page, '/')
    await page.locator('.checks').waitFor()
    expect((await boxOf(page.locator('.checks'))).width).toBeGreaterThan(2400)
    const phased = server.checks.find(({ checkType }) => checkType.phases.length > 0)
    await show(page, `/checks/${phased?.id}`)
    const [availability, phases] = ['availability', 'phases'].map((name) => page.locator(`[data-panel="${name}"]`))
    await phases?.locator('canvas').waitFor()
    if (availability === undefined || phases === undefined) throw new Error('There are no panels.')
    expect((await boxOf(availability)).y).toBe((await boxOf(phases)).y)
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})
