// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { testResult } from '../support/results.ts'
import { expectStill } from './layout-shift.ts'
import {
  boxOf,
  eventually,
  expectAccessible,
  expectFits,
  expectQuiet,
  inChromium,
  openReader,
  openWindowPicker,
  pickWindow,
  type Reader,
  resize,
  settled,
  show,
} from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const count = 300
const types = oneOfEach()
const checks = Array.from({ length: count }, (_, index) => {
  const like = types[index % types.length] as Check
  return { ...like, id: `check-${index}`, name: `Check number ${index}`, tags: [...like.tags, `team-${index % 5}`], locations: [] }
})

describe('with hundreds of checks', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0 })
    reader = await openReader(server.origin)
    page = reader.page
  })
  afterAll(() => server?.close())
  beforeEach(() => resize(page, { width: 1280, height: 800 }))

  const rows = () => page.locator('.checks tbody tr')
  const summaries = () => reader.requests.filter((url) => url.includes('/v1/analytics/checks?')).length
  const loaded = () => page.locator('.checks[aria-busy=false] tbody tr:nth-child(100) .day-bar[role=img]').waitFor()

  test('a page of the list takes one request for the summary, whatever the window', async () => {
    await page.goto(`${server.origin}/health/live`)
    const atFirst = summaries()
    await page.goto(server.origin)
    await page.getByText(`${count} checks`).waitFor()
    const oneMoreCall = async (act: () => Promise<unknown>) => {
      const before = summaries()
      const answered = page.waitForResponse((response) => response.url().includes('/v1/analytics/checks?'))
      await act()
      await answered
      await loaded()
      expect(summaries()).toBe(before + 1)
    }
    await loaded()
    expect(summaries()).toBe(atFirst + 1)
    await oneMoreCall(() => page.getByRole('link', { name: 'Next' }).click())
    for (const preset of ['Last 90 days', 'Last 6 hours', 'This month']) await oneMoreCall(() => pickWindow(page, preset))
    const picker = await openWindowPicker(page)
    await picker.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
    await oneMoreCall(() => picker.getByRole('button', { name: 'Show', exact: true }).click())
    expect(await rows().count()).toBe(100)
    await expectAccessible(page.getByRole('navigation', { name: 'Pages' }))
    expect(summaries()).toBe(atFirst + 6)
  })

  test('sorting by a figure requests each check once', async () => {
    await page.goto(server.origin)
    await loaded()
    const before = summaries()
    await page.getByRole('button', { name: 'Availability' }).click()
    await eventually(summaries).toBe(before + count / 100 - 1)
    await pickWindow(page, 'Last 7 days')
    await eventually(summaries).toBe(before + (2 * count) / 100 - 1)
  })

  test('figures appear as they arrive, although those of other checks are still loading', async () => {
    await page.goto(server.origin)
    await loaded()
    let release = () => {}
    const last = new Promise<void>((resolve) => {
      release = resolve
    })
    let calls = 0
    await page.route('**/v1/analytics/checks?*', async (route) => {
      if (++calls === 2) await last
      await route.continue()
    })
    await page.getByRole('button', { name: 'Availability' }).click()
    await eventually(() => calls).toBe(2)
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'Check number 199', exact: true }).waitFor()
    await loaded()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByRole('link', { name: 'Check number 299', exact: true }).waitFor()
    expect(await page.locator('.checks tbody .day-bar[role=img]').count()).toBe(0)
    release()
    await loaded()
    await page.unroute('**/v1/analytics/checks?*')
  })

  test.each([1280, 800, 360])('the list keeps its filters and its head visible at %i px', async (width) => {
    await resize(page, { width, height: 800 })
    await show(page, '/')
    await page.getByRole('link', { name: 'Check number 59', exact: true }).scrollIntoViewIfNeeded()
    await page.mouse.move(width / 2, 400)
    await page.mouse.wheel(0, 10_000)
    await eventually(() => page.evaluate('scrollY')).toBeGreaterThan(500)
    for (const part of [page.getByLabel('Search'), page.getByRole('button', { name: 'Availability' })]) {
      const { y } = await boxOf(part)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y).toBeLessThan(200)
    }
  })

  test('searching among them requests only the figures of the matches', async () => {
    const before = reader.requests.length
    await page.goto(server.origin)
    await page.getByText(`${count} checks`).waitFor()
    await page.getByLabel('Search').fill('number 299')
    await eventually(() => rows().count()).toBe(1)
    await page.locator('.day-bar[role=img]').waitFor()
    expect(reader.requests.slice(before).filter((url) => url.includes('/v1/checks?limit=100'))).toHaveLength(count / 100)
  })

  test.each(['/', '/overview', '/wall', '/locations'])('%s fits, and has no layout shifts while it loads', async (path) => {
    await resize(page, { width: 360, height: 800 })
    await page.goto(server.origin + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
    await expectStill(page)
    await expectFits(page)
  })

  let attempts = 0
  test('a check of the last page that begins to fail moves to the first', async () => {
    attempts += 1
    const last = checks.at(-attempts) as Check
    const before = reader.requests.length
    await page.goto(server.origin)
    await loaded()
    await eventually(() => reader.requests.slice(before).some((url) => url.includes('/v1/check-results/stream'))).toBe(true)
    expect(await page.getByText(last.name, { exact: true }).count()).toBe(0)
    await server.store.append([testResult(last, Date.now(), { hasFailures: true, error: 'status 503' })])
    await eventually(() => rows().first().textContent()).toContain(last.name)
    await eventually(() => page.title()).toMatch(/^\d failing · Tidemark$/)
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})

test('with many tags, the overview shows the days of the first hundred, and of the rest on request', inChromium, async () => {
  const tagged = checks.slice(0, 120).map((check, index) => ({ ...check, tags: [`tag-${index}`] }))
  const server = await startPageServer({ checks: tagged, days: 0 })
  const { page } = await openReader(server.origin)
  await page.goto(`${server.origin}/overview`)
  const strips = () => page.locator('.day-strip').count()
  await eventually(strips).toBe(100)
  await page.getByText('100 of 120.').getByRole('button', { name: 'Show all' }).click()
  await eventually(strips).toBe(120)
  await server.close()
})
