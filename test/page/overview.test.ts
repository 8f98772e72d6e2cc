// @slow
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { credentials } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'
import { expectStill } from './layout-shift.ts'
import { eventually, expectAccessible, expectQuiet, inChromium, openReader, type Reader, wide } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

type Report = { readonly series: readonly { readonly data: readonly { readonly availability: number }[] }[] }

const [failing, passing, paused, untagged] = oneOfEach()
if (!failing || !passing || !paused || !untagged) throw new Error('There are too few check types.')
const checks: readonly Check[] = [
  { ...failing, tags: ['shop'] },
  { ...passing, tags: ['shop', 'web'] },
  { ...paused, tags: ['web'], activated: false },
  { ...untagged, tags: [] },
]

describe('the overview', inChromium, () => {
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 1 })
    await server.store.append(checks.map((check) => testResult(check, Date.now(), { hasFailures: check.id === failing.id })))
  })
  afterAll(() => server?.close())

  describe.each([wide])('at $width px, $scheme', (look) => {
    let reader: Reader
    let page: Page
    beforeAll(async () => {
      reader = await openReader(server.origin, look)
      page = reader.page
    })

    const square = (name: string) => page.locator('.tag-square', { has: page.getByRole('heading', { name, exact: true }) })

    test('has a card for each tag, worst first, with its availability', async () => {
      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      expect(await page.locator('.tag-square h2').allTextContents()).toEqual(['shop', 'web', 'without tags'])
      expect(await square('shop').textContent()).toContain('1 of 2 passing')
      expect(await square('web').textContent()).toContain('1 of 1 passing')
      expect(await square('shop').locator('.trouble-note').textContent()).toMatch(/^for \d+ (s|min)/)
      expect(await page.locator('.tag-square > .state').allTextContents()).toEqual(['failing', 'passing', 'passing'])
      const body = JSON.stringify({ metrics: ['availability'], checks: { tags: ['web'] } })
      const headers = { ...credentials, 'content-type': 'application/json' }
      const answer = (await (await fetch(`${server.origin}/v1/analytics/query`, { method: 'POST', headers, body })).json()) as Report
      const exact = Number(answer.series[0]?.data[0]?.availability)
      await eventually(async () =>
        Math.abs(Number.parseFloat((await square('web').locator('.tag-availability').textContent()) ?? '') - exact),
      ).toBeLessThan(0.02)
      await expectAccessible(page)
    })

    test('has no half-empty card next to a taller one', async () => {
      const filled = await page.locator('.tag-square').evaluateAll((cards) =>
        cards.map((card) => {
          const { top, height } = card.getBoundingClientRect()
          return (Math.max(...[...card.children].map((child) => child.getBoundingClientRect().bottom)) - top) / height
        }),
      )
      for (const share of filled) expect(share).toBeGreaterThan(0.75)
    })

    test('has ninety days of each tag, with one tab stop each, and every day links to its checks', async () => {
      const days = page.getByRole('list', { name: 'shop, 90 days' })
      await days.getByRole('link').first().waitFor()
      expect(await days.getByRole('link').count()).toBe(90)
      const today = days.locator('a[tabindex="0"]')
      expect(await today.count()).toBe(1)
      await today.focus()
      await page.keyboard.press('ArrowLeft')
      await eventually(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/: [\d.]+ %, /)
      await page.keyboard.press('Enter')
      await eventually(() => page.url()).toMatch(/\/\?from=.*&to=.*&tag=shop$/)
      await eventually(() => page.locator('.checks tbody tr').count()).toBe(2)
      await page.goBack()
      await days.waitFor()
    })

    test('shows the outages of a day on hover and focus, and the figure of each line', async () => {
      const strip = page.locator('.day-strip', { has: page.getByRole('list', { name: 'shop, 90 days' }) })
      await eventually(() => strip.locator('.day-figure').textContent()).toMatch(/^[\d.]+ %$/)
      await strip.getByRole('link').last().hover()
      await eventually(() => page.locator('.day-readout').textContent()).toMatch(
        /: [\d.]+ %, \d+ of [\d,]+ runs failed \d+ outages?: \d\d:\d\d for /,
      )
      expect(await page.locator('.day-ticks span').allTextContents()).toEqual([...Array(6).fill(expect.stringMatching(/\w+ \d+/)), 'today'])
    })

    test('has no layout shifts while it loads', async () => {
      await page.reload()
      await page.getByRole('list', { name: 'shop, 90 days' }).getByRole('link').first().waitFor()
      await expectStill(page)
    })

    test('has a wall view without navigation, with the number of failing checks in title and icon', async () => {
      const icon = () => page.locator('link[rel="icon"]').getAttribute('href')
      const before = await icon()
      await page.getByRole('link', { name: 'Wall view' }).click()
      await page.getByRole('heading', { name: '1 check failing', level: 1 }).waitFor()
      await eventually(() => page.title()).toBe('1 failing · Tidemark')
      expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
      await eventually(icon).toMatch(/^blob:/)
      expect(await page.locator('.wall-square', { hasText: 'shop' }).textContent()).toContain(failing.name)
      await expectAccessible(page)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
      await eventually(async () => new URL((await icon()) ?? '', server.origin).pathname).toBe(
        new URL(before ?? '', server.origin).pathname,
      )
    })

    test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
  })
})
