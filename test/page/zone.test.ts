// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../../src/time.ts'
import { testResult } from '../support/results.ts'
import {
  boxOf,
  eventually,
  expectAccessible,
  inChromium,
  openReader,
  pickWindow,
  pixelsOf,
  type Reader,
  settled,
  show,
  wide,
} from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const [check] = oneOfEach()
if (!check) throw new Error('There is no check type.')

describe("the reader's clock", inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks: [check], days: 3 })
  })
  afterAll(() => server?.close())

  const readers = new Map<string, Reader>()
  const open = async (timezoneId: string, path: string) => {
    const known = readers.get(timezoneId)
    reader = known ?? (await openReader(server.origin + path, { ...wide, timezoneId }))
    readers.set(timezoneId, reader)
    page = reader.page
    if (known !== undefined) await show(page, path)
  }
  const asked = (part: string) => reader.requests.filter((url) => url.includes(part)).map((url) => new URL(url).searchParams)
  const windowOfTiles = () => page.locator('.tiles-window .note').getAttribute('title')

  test.each(['Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])('in %s has local months and days', async (timezoneId) => {
    await open(timezoneId, `/checks/${check.id}`)
    // Browsers still use the former name of some zones.
    const zone = String(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'))
    await pickWindow(page, 'Last month')
    await eventually(() => new URL(page.url()).search).toBe(`?quickRange=lastMonth&timezone=${encodeURIComponent(zone)}`)
    await settled(page)
    const [from, to] = ((await windowOfTiles()) ?? '').split(' – ')
    const local = (at = '') =>
      new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
        Date.parse(at),
      )
    expect(local(from)).toBe('1, 00:00')
    expect(local(new Date(Date.parse(to ?? '') + 1).toISOString())).toBe('1, 00:00')
    await show(page, `/checks/${check.id}?quickRange=last7Days&aggregationInterval=day`)
    const panel = page.locator('[data-panel="main"]')
    await panel.getByRole('button', { name: 'Table' }).click()
    await eventually(() => panel.locator('tbody td:first-child').allTextContents()).toEqual(
      expect.arrayContaining([expect.stringMatching(/ 00:00( \S+)?$/)]),
    )
    expect(asked('aggregationInterval=day').every((query) => query.get('timezone') === zone)).toBe(true)
  })

  test('in Berlin has a day of 25 hours, and bars next to it keep their width', async () => {
    const hours = Array.from({ length: 240 }, (_, hour) => testResult(check, Date.UTC(2025, 9, 20) + hour * hourMs))
    await server.store.append(hours)
    await open('Europe/Berlin', `/checks/${check.id}?from=2025-10-21&to=2025-10-28&aggregationInterval=720`)
    await page.locator('[data-panel="availability"] canvas').waitFor()
    const share = async () => {
      const { width, height } = await boxOf(page.locator('[data-panel="availability"] .u-over'))
      return (await pixelsOf(page, 'availability', 'passing-soft')) / (width * height)
    }
    await eventually(share).toBeGreaterThan(0.4)
  })

  test('can be set to any zone, which is remembered, and a link may override it', async () => {
    const run = testResult(check, Date.now())
    await server.store.append([run])
    const path = `/checks/${check.id}/runs/${run.result.id}`
    await open('Europe/Berlin', path)
    const zone = page.getByLabel('Time zone')
    const time = page.locator('h1 time')
    await eventually(() => time.textContent()).toMatch(/GMT\+[12]$/)
    await zone.selectOption('UTC')
    await eventually(() => time.textContent()).toMatch(/UTC$/)
    await page.reload()
    await eventually(() => time.textContent()).toMatch(/UTC$/)
    await eventually(() => zone.locator('option').count()).toBeGreaterThan(300)
    await expectAccessible(page.locator('header.top'))
    await zone.selectOption('Asia/Tokyo')
    await eventually(() => time.textContent()).toMatch(/GMT\+9$/)
    await show(page, `${path}?quickRange=thisWeek&timezone=America%2FNew_York`)
    await eventually(() => time.textContent()).toMatch(/E[SD]T$/)
    expect(await zone.inputValue()).toBe('America/New_York')
    await show(page, path)
    await eventually(() => time.textContent()).toMatch(/GMT\+9$/)
    await zone.selectOption('Local time')
    await eventually(() => time.textContent()).toMatch(/GMT\+[12]$/)
  })

  test('in a zone that the server does not support is replaced by its offset, with a message', async () => {
    await open('America/Bogota', '/slos')
    await page.route('**/v1/**', (route) => {
      const asked = `${decodeURIComponent(route.request().url())} ${route.request().postData()}`
      if (!asked.includes('America/Bogota')) return route.continue()
      return route.fulfill({ status: 400, json: { statusCode: 400, message: 'There is no such zone.', code: 'UNKNOWN_TIMEZONE' } })
    })
    await show(page, `/checks/${check.id}?quickRange=thisMonth`)
    await page.getByText('The server does not support the time zone America/Bogota').waitFor()
    await settled(page)
    await eventually(windowOfTiles).toMatch(/^\d{4}-\d\d-01T05:00:00.000Z – /)
    expect(await page.getByText('There is no such zone.').count()).toBe(0)
    expect(asked('quickRange=thisMonth').at(-1)?.get('timezone')).toBe('Etc/GMT+5')
    await expectAccessible(page.locator('.window-notice'))
  })

  test('in Kolkata has hours in the list that start at half past those of UTC', async () => {
    const half = Math.floor(Date.now() / hourMs) * hourMs - 3.5 * hourMs
    await server.store.append([
      testResult(check, half + 60_000, { hasFailures: true }),
      testResult(check, half - 60_000, { hasFailures: true }),
    ])
    await open('Asia/Kolkata', '/')
    const bar = page.locator('.day-bar[role=img]').first()
    await eventually(() => bar.getAttribute('aria-label')).toMatch(/(\d\d:00: [1-9]\d* of [\d,]+ runs? failed; )\d\d:00: [1-9]/)
  })

  test('determines the values of the fields of the window picker', async () => {
    await open('Asia/Kolkata', '/')
    await page.getByRole('button', { name: /^Window / }).click()
    const picker = page.getByRole('dialog', { name: 'Window' })
    await picker.getByLabel('From', { exact: true }).fill('2026-01-01T00:00')
    await picker.getByLabel('To', { exact: true }).fill('2026-01-02T00:00')
    await picker.getByRole('button', { name: 'Show', exact: true }).click()
    await eventually(() => new URL(page.url()).searchParams.get('from')).toBe('2025-12-31T18:30:00.000Z')
    expect(new URL(page.url()).searchParams.get('to')).toBe('2026-01-01T18:30:00.000Z')
  })

  test('shows a message for an invalid window, and supports dates, epochs and a window without an end', async () => {
    await open('UTC', `/checks/${check.id}?from=yesterday`)
    const notice = page.getByRole('alert').getByText('Invalid window: from=yesterday.')
    await notice.waitFor()
    await expectAccessible(page.locator('.window-notice'))
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    await show(page, `/checks/${check.id}?from=${day}&to=${day}`)
    await notice.waitFor({ state: 'detached' })
    await eventually(windowOfTiles).toBe(`${day}T00:00:00.000Z – ${day}T23:59:59.999Z`)
    await show(page, `/checks/${check.id}?from=${Date.parse(day) / 1000}`)
    await eventually(async () => Date.parse((await windowOfTiles())?.split(' – ')[1] ?? '') > Date.now() - 60_000).toBe(true)
    await page.getByRole('button', { name: /^Window since / }).waitFor()
  })
})
