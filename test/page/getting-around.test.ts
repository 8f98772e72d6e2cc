// @slow
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testCheck } from '../support/catalogue.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { boxOf, expectAccessible, expectQuiet, openReader, openWindowPicker, pickWindow, type Reader, signIn } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 60_000 }
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 20_000 })
const looks = [1280, 360].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))
const look = { width: 1280, scheme: 'light' } as const

const [like] = oneOfEach()
if (like === undefined) throw new Error('There are no check types.')
const more = Array.from({ length: 60 }, (_, index) => testCheck(like.checkType, { ...like, id: `more-${index}`, name: `More ${index}` }))

let browser: Browser
let server: PageServer
beforeAll(async () => {
  if (options.skip) return
  server = await startPageServer({ checks: oneOfEach(), days: 1 })
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

const firstCheck = () => server.checks[0] ?? like
const main = (page: Page) => page.locator('[data-panel="main"]')

describe.each(looks)('at $width px, $scheme', options, (look) => {
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    reader = await openReader(browser, server.origin, look)
    page = reader.page
    await signIn(page)
  })
  afterAll(() => reader?.close())

  test('the palette finds checks, tags and views, by keyboard alone', async () => {
    await page.locator('.checks').waitFor()
    await page.keyboard.press('/')
    const palette = page.getByRole('dialog', { name: 'Go to' })
    await palette.getByRole('option').first().waitFor()
    await expectAccessible(page)
    await page.keyboard.type(firstCheck().name.toLowerCase())
    await eventually(() => palette.getByRole('option', { selected: true }).textContent()).toContain(firstCheck().name)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: firstCheck().name, level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('slos')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'SLOs', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('no such thing')
    await palette.getByText('Nothing has these words.').waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Go to/ }).click()
    await palette.getByRole('combobox').fill('network')
    await palette.getByRole('option', { name: /^Tag/ }).click()
    await eventually(() => page.url()).toContain('/?tag=network')
    await page.locator('.checks tbody tr').first().waitFor()
  })

  test('the window picker opens over the charts, closes by Escape, and moves nothing', async () => {
    await page.goto(`${server.origin}/checks/${firstCheck().id}`)
    await main(page).locator('canvas').waitFor()
    const before = await boxOf(main(page))
    const picker = await openWindowPicker(page)
    await picker.getByRole('button', { name: 'Last 90 days' }).waitFor()
    await expectAccessible(page)
    expect(await boxOf(main(page))).toEqual(before)
    await page.keyboard.press('Escape')
    await picker.waitFor({ state: 'hidden' })
    await eventually(() => page.evaluate('document.activeElement.textContent')).toBe('Last 24 hours')
  })

  test('a rolling window without a name in the API is an address, and has results up to now', async () => {
    await pickWindow(page, 'Last 6 hours')
    await eventually(() => page.url()).toContain('quickRange=last6Hours')
    await eventually(() => main(page).getAttribute('aria-busy')).toBe('false')
    const asked = reader.requests.filter((url) => url.includes('/v1/analytics/') && url.includes('from=')).at(-1) ?? ''
    const { searchParams } = new URL(asked)
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''))
    expect((to ?? 0) - (from ?? 0)).toBe(6 * 3_600_000)
    await page.reload()
    await page.getByRole('button', { name: 'Window Last 6 hours' }).waitFor()
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})

describe('the theme', options, () => {
  const ground = (page: Page) => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')

  test('follows the system, and a choice overrides it until it is taken back', async () => {
    const { page, close } = await openReader(browser, server.origin, look)
    await signIn(page)
    await page.goto(`${server.origin}/checks/${firstCheck().id}`)
    await main(page).locator('canvas').waitFor()
    const light = await ground(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await eventually(() => ground(page)).not.toBe(light)
    const dark = await ground(page)
    await page.getByLabel('Colours').selectOption('light')
    await eventually(() => ground(page)).toBe(light)
    await page.reload()
    await main(page).locator('canvas').waitFor()
    expect(await ground(page)).toBe(light)
    await page.getByLabel('Colours').selectOption('system')
    await eventually(() => ground(page)).toBe(dark)
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await close()
  })

  test('repaints charts', async () => {
    const { page, close } = await openReader(browser, server.origin, look)
    await signIn(page)
    await page.goto(`${server.origin}/checks/${firstCheck().id}`)
    await main(page).locator('canvas').waitFor()
    const picture = () => page.evaluate(`document.querySelector('[data-panel="main"] canvas').toDataURL()`)
    const before = await picture()
    await page.getByLabel('Colours').selectOption('dark')
    await eventually(picture).not.toBe(before)
    await expectAccessible(page)
    await close()
  })
})

describe('a long list', options, () => {
  let longServer: PageServer
  beforeAll(async () => {
    longServer = await startPageServer({ checks: more, days: 0 })
  })
  afterAll(() => longServer?.close())

  test.each([1280, 800, 360])('keeps its filters and its head in sight at %i px', async (width) => {
    const { page, close } = await openReader(browser, longServer.origin, { width, scheme: 'light' })
    await signIn(page)
    await page.getByRole('link', { name: 'More 59', exact: true }).scrollIntoViewIfNeeded()
    await page.mouse.wheel(0, 10_000)
    await eventually(() => page.evaluate('scrollY')).toBeGreaterThan(500)
    for (const part of [page.getByLabel('Search'), page.getByRole('button', { name: 'Availability' })]) {
      const { y } = await boxOf(part)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y).toBeLessThan(200)
    }
    await page.getByLabel('Search').fill('more 59')
    await eventually(() => page.locator('.checks tbody tr').count()).toBe(1)
    await expectAccessible(page)
    await close()
  })
})

test('a wide screen is used, with charts side by side', options, async () => {
  const { page, close } = await openReader(browser, server.origin, { width: 2560, scheme: 'light' })
  await signIn(page)
  expect((await boxOf(page.locator('.checks'))).width).toBeGreaterThan(2400)
  const phased = server.checks.find(({ checkType }) => checkType.phases.length > 0)
  await page.goto(`${server.origin}/checks/${phased?.id}`)
  const [availability, phases] = ['availability', 'phases'].map((name) => page.locator(`[data-panel="${name}"]`))
  await phases?.locator('canvas').waitFor()
  if (availability === undefined || phases === undefined) throw new Error('There are no panels.')
  expect((await boxOf(availability)).y).toBe((await boxOf(phases)).y)
  await expectAccessible(page)
  await close()
})
