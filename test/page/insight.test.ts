// @slow ci
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/time.ts'
import { account, credentials, testSlo } from '../support/catalogue.ts'
import { measured, testResult } from '../support/results.ts'
import { copied, eventually, expectAccessible, inChromium, openReader, pixelsOf, type Reader, settled, show } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const checks = oneOfEach()
const check = checks.find(({ checkType }) => checkType.phases.length > 0 && checkType.fields.includes('sslDaysRemaining'))
const pinged = checks.find(({ checkType }) => checkType.pingSettings !== undefined)
if (check === undefined || pinged === undefined) throw new Error('There are types with certificates, and with pings.')

const hours = 6
const to = Math.floor(Date.now() / hourMs) * hourMs
const from = to - hours * hourMs
const failedHour = 2

/** A run every five minutes of the window and of the one before it, in which all took an eighth of the time; one hour failed. */
const results = Array.from(
  { length: (2 * hours * hourMs) / (5 * minuteMs) },
  (_, index) => from - hours * hourMs + index * 5 * minuteMs,
).map((startedAt) => {
  const factor = startedAt < from ? 1 : 8
  const values = Object.fromEntries(
    Object.entries(measured(check, startedAt)).map(([name, value]) => [name, typeof value === 'number' ? value * factor : value]),
  )
  const hasFailures = Math.floor((startedAt - from) / hourMs) === failedHour
  const [runLocation = ''] = check.locations
  return testResult(check, startedAt, { runLocation, values: { ...values, statusCode: 200, sslDaysRemaining: 9 }, hasFailures })
})

describe('what a check shows beyond its charts', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0, policies: { slos: [testSlo('all', { name: 'Everything works' })] } })
    await server.store.append(results)
    reader = await openReader(server.origin)
    page = reader.page
  })
  afterAll(() => server?.close())

  const panel = (name: string) => page.locator(`[data-panel="${name}"]`)
  const open = async (query = '') => {
    const ends = `from=${new Date(from).toISOString()}&to=${new Date(to - 1).toISOString()}`
    await show(page, `/checks/${check.id}?${ends}&aggregationInterval=60${query}`)
    await panel('main').locator('canvas').waitFor()
  }
  const tile = (label: string) => page.locator('.tile', { hasText: label }).first()
  const see = async (name: string) => {
    await panel(name).scrollIntoViewIfNeeded()
    await eventually(() => panel(name).getAttribute('aria-busy')).toBe('false')
  }

  test('figures are compared with the previous window, with confidence in the change', async () => {
    await open()
    const change = tile('p50').locator('.tile-change')
    await eventually(() => change.textContent()).toMatch(/^\+\d+ %: .* before; higher at 95 % confidence$/)
    expect(await change.getAttribute('class')).toContain('change-worse')
    expect(await change.getAttribute('title')).toMatch(/\(.*\)$/)
    expect(await tile('Availability').locator('.tile-change').textContent()).toMatch(/^−16.67 pp/)
    expect(await tile('Failed').locator('.tile-change').textContent()).toMatch(/^\+12/)
  })

  test('a chart can show a faint line of the previous window', async () => {
    await open()
    expect(await panel('main').getByRole('button', { name: 'p95 before' }).count()).toBe(0)
    await page.getByLabel('Compare with').selectOption('Period before')
    await eventually(() => page.url()).toContain('compare=previousPeriod')
    await panel('main').getByRole('button', { name: 'p95 before' }).waitFor()
    await eventually(() => pixelsOf(page, 'main', 'before')).toBeGreaterThan(20)
    const slider = panel('main').getByRole('slider')
    await slider.focus()
    const [, p50 = '', before = ''] =
      /p50 ([\d.]+ m?s).*p95 before ([\d.]+ ms)/.exec((await slider.getAttribute('aria-valuetext')) ?? '') ?? []
    expect([p50, before]).not.toContain('')
    expect(p50).not.toBe(before)
  })

  test('availability can count time instead of runs', async () => {
    await open()
    await panel('availability').getByRole('button', { name: 'by time' }).click()
    await eventually(() => page.url()).toContain('availabilityBy=time')
    await panel('availability').getByText('time up and down').waitFor()
    await eventually(() => tile('Down').locator('dd').first().textContent()).toBe('1 h')
    await eventually(() => pixelsOf(page, 'availability', 'failing')).toBeGreaterThan(20)
    await panel('availability').getByRole('button', { name: 'by runs' }).click()
    await eventually(() => page.url()).not.toContain('availabilityBy')
  })

  test('panels load only when they become visible', async () => {
    const { page: fresh, requests } = await openReader(`${server.origin}/checks/${check.id}`)
    await fresh.locator('[data-panel="main"] .chart').waitFor()
    await settled(fresh)
    const asked = () => requests.filter((url) => url.includes('/v1/analytics/query') || url.includes('/v1/slos?')).length
    const before = asked()
    expect(before, 'ninety days, and the comparison of the tiles').toBeLessThanOrEqual(2)
    expect(requests.filter((url) => url.includes('/v1/')).length).toBeLessThan(20)
    await fresh.locator('[data-panel="slos"]').scrollIntoViewIfNeeded()
    await fresh.locator('[data-panel="slos"]').getByRole('link', { name: 'Everything works' }).waitFor()
    await eventually(asked).toBe(before + 4)
  })

  test.each(['quickRange=last6Hours', 'quickRange=last90Days', `from=${new Date(from).toISOString()}`])(
    'every query is sent once for a window that ends now: %s',
    async (window) => {
      const asked: string[] = []
      const note = (request: Request) => {
        if (!request.url().endsWith('/v1/analytics/query')) return
        const { from: _, to: __, ...question } = request.postDataJSON()
        asked.push(JSON.stringify(question))
      }
      page.on('request', note)
      await show(page, `/checks/${check.id}?${window}&compare=previousPeriod`)
      for (const name of ['main', 'spread', 'hour-week', 'locations', 'runs']) await see(name)
      await settled(page)
      page.off('request', note)
      expect(asked.length).toBeGreaterThan(3)
      expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())
    },
  )

  test('the distribution counts every run', async () => {
    await open()
    await see('spread')
    await panel('spread')
      .getByRole('img', { name: /^72 runs; p50 / })
      .waitFor()
    expect(await panel('spread').locator('.spread-bar').count()).toBeGreaterThan(2)
    await panel('spread').getByRole('button', { name: 'Table' }).click()
    const counts = await panel('spread').locator('tbody tr td:nth-child(2)').allTextContents()
    expect(counts.reduce((sum, text) => sum + Number(text), 0)).toBe(72)
    await expectAccessible(panel('spread'))
    await panel('spread').getByRole('button', { name: 'Table' }).click()
  })

  test('the hours of the week show when it is slow and when it fails', async () => {
    await open()
    await see('hour-week')
    await panel('hour-week').getByText('last 30 days').waitFor()
    await eventually(() => panel('hour-week').locator('tbody td').count()).toBe(7 * 24)
    expect(await panel('hour-week').locator('td.heat-5').count()).toBeGreaterThan(0)
    await panel('hour-week').getByRole('button', { name: 'failed' }).click()
    expect(await panel('hour-week').locator('tbody td.heat-5').count()).toBe(1)
    await panel('hour-week').locator('tbody td.heat-5').hover()
    await panel('hour-week')
      .getByText(/availability 0 %, 12 runs/)
      .waitFor()
    await expectAccessible(panel('hour-week'))
  })

  test('the SLOs that include the check are listed', async () => {
    await open()
    await see('slos')
    await panel('slos').getByRole('link', { name: 'Everything works' }).click()
    await page.getByRole('heading', { name: 'Everything works', level: 1 }).waitFor()
  })

  test('commands and settings for the check can be copied', async () => {
    await open()
    await page.getByRole('button', { name: 'Commands' }).click()
    expect(await copied(page, 'Run it now, without storing the result')).toBe(`tidemark run ${check.id} --account ${account}`)
    expect(await page.getByRole('dialog').getByText(`--check ${check.id}`).count()).toBe(2)
    const { yaml } = (await (await fetch(`${server.origin}/v1/checks/${check.id}/definition`, { headers: credentials })).json()) as {
      yaml: string
    }
    expect(await page.getByRole('dialog').locator('pre').last().textContent()).toBe(yaml)
    await expectAccessible(page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Close' }).click()
  })

  test('a check that waits for pings shows its ping URL, without the token', async () => {
    await show(page, `/checks/${pinged.id}`)
    await page.getByRole('button', { name: 'Commands' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${server.origin}/ping/$\{TOKEN}`, { exact: true }).waitFor()
    expect(await dialog.textContent()).toMatch(/\* \* \* \/path\/to\/job && curl/)
    expect(await dialog.textContent()).not.toContain('a-token-of-the-tests')
    expect(await dialog.getByText('tidemark run').count()).toBe(0)
    await page.getByRole('button', { name: 'Close' }).click()
  })

  test('the list shows the remaining days of certificates, and can be filtered by them', async () => {
    await show(page, '/')
    const row = page.locator('.checks tbody tr', { hasText: check.name })
    await eventually(() => row.textContent()).toContain('9 days')
    await page.getByRole('button', { name: 'Certificate' }).click()
    await eventually(() => page.locator('.checks tbody tr').first().textContent()).toContain('9 days')
    await page.getByLabel('Certificate').selectOption('Expires within 14 days')
    await eventually(() => page.locator('.checks tbody tr').count()).toBe(1)
    await expectAccessible(page)
  })
})
