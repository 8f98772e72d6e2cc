// @slow ci
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/time.ts'
import { account, readKey } from '../support/catalogue.ts'
import { measured, testResult } from '../support/results.ts'
import { boxOf, copied, eventually, inChromium, openReader, show, styleOf } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const checks = oneOfEach()
const check = checks.find(({ checkType }) => checkType.fields.includes('statusCode'))
if (check === undefined) throw new Error('No check type has status codes.')

const hours = 6
const to = Math.floor(Date.now() / hourMs) * hourMs
const from = to - hours * hourMs
const [place = '', otherPlace = ''] = check.locations
const failedHour = 4

/** A run every five minutes at both locations; in one hour, those of one location fail. */
const results = Array.from({ length: (hours * hourMs) / (5 * minuteMs) }, (_, index) => from + index * 5 * minuteMs).flatMap((startedAt) =>
  check.locations.map((runLocation) => {
    const failed = runLocation === place && Math.floor((startedAt - from) / hourMs) === failedHour
    const values = { ...measured(check, startedAt), statusCode: failed ? 503 : 200 }
    return testResult(check, startedAt, { runLocation, values, hasFailures: failed, error: failed ? 'no luck' : null })
  }),
)
const failures = 12

describe('links to details', inChromium, () => {
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0 })
    await server.store.append(results)
    page = (await openReader(server.origin)).page
  })
  afterAll(() => server?.close())

  const query = () => new URL(page.url()).searchParams
  const window = () => [Date.parse(query().get('from') ?? ''), Date.parse(query().get('to') ?? '')]
  const runs = () => page.locator('[data-panel="runs"] tbody tr:has(time)')
  const openCheck = async (more = '') => {
    const ends = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
    await show(page, `/checks/${check.id}?${ends}&aggregationInterval=60${more}`)
    await page.locator('[data-panel="availability"] canvas').waitFor()
    await runs().first().waitFor()
  }

  test('a row opens its check', async () => {
    await show(page, '/')
    const row = page.locator('.checks tbody tr', { hasText: check.name }).first()
    const type = await boxOf(row.locator('.type'))
    await page.mouse.click(type.x + type.width / 2, type.y + type.height / 2)
    await page.getByRole('heading', { name: check.name, level: 1 }).waitFor()
  })

  test('an hour in the list opens its window', async () => {
    await show(page, '/')
    const bar = page.locator('.checks tbody tr', { hasText: check.name }).locator('.day-bar[role=img]').first()
    const box = await boxOf(bar)
    const hourOf = 23 - (hours - failedHour)
    await page.mouse.click(box.x + (box.width * (hourOf + 0.5)) / 24, box.y + box.height / 2)
    await page.getByRole('heading', { name: check.name, level: 1 }).waitFor()
    const [start = 0, end = 0] = window()
    expect(end - start).toBe(hourMs)
    expect(start).toBe(Math.floor(Date.now() / hourMs) * hourMs - (hours - failedHour) * hourMs)
  })

  test('a bar of a chart opens its window, with pointer and keyboard', async () => {
    await openCheck()
    const over = page.locator('[data-panel="availability"] .u-over')
    await over.scrollIntoViewIfNeeded()
    const box = await boxOf(over)
    await page.mouse.click(box.x + (box.width * (failedHour + 0.5)) / hours, box.y + box.height / 2)
    await eventually(window).toEqual([from + failedHour * hourMs, from + (failedHour + 1) * hourMs])
    await openCheck()
    const slider = page.locator('[data-panel="main"]').getByRole('slider')
    await slider.focus()
    await slider.press('Enter')
    await eventually(window).toEqual([to - hourMs, to])
  })

  test('the number of failures opens the failed runs', async () => {
    await openCheck()
    await page
      .getByLabel('The whole window')
      .getByRole('link', { name: String(failures), exact: true })
      .click()
    await eventually(() => runs().count()).toBe(failures)
    expect(query().get('filterByStatus')).toBe('failure')
    await eventually(() => page.evaluate('Math.round(document.getElementById("runs").getBoundingClientRect().top) < innerHeight')).toBe(
      true,
    )
  })

  test('one of the last ninety days opens its window', async () => {
    await openCheck()
    const days = page.getByRole('list', { name: `${check.name}, 90 days` })
    await eventually(() => days.getByRole('link').count()).toBe(90)
    await days.getByRole('link').last().click()
    const midnight = new Date().setUTCHours(0, 0, 0, 0)
    await eventually(() => window()[0]).toBe(midnight)
  })

  test('failed runs are marked at the side instead of by background, and links in tables are underlined only on hover', async () => {
    await openCheck('&filterByStatus=failure')
    const style = (of: string, name: string) => styleOf(page.locator(`[data-panel="runs"] ${of}`).first(), name)
    expect(await style('tr.failed td', 'box-shadow')).toContain('inset')
    expect(await style('tr.failed td', 'background-color')).toBe('rgba(0, 0, 0, 0)')
    expect(await style('tr.failed', 'background-color')).toBe('rgba(0, 0, 0, 0)')
    expect(await style('tr.failed a', 'text-decoration-line')).toBe('none')
    await page.locator('[data-panel="runs"] tr.failed a').first().hover()
    expect(await style('tr.failed a', 'text-decoration-line')).toBe('underline')
  })

  test('an outage opens its runs', async () => {
    await openCheck()
    const outage = page.locator('[data-panel="outages"] tbody tr')
    expect(await outage.count()).toBe(1)
    expect(await outage.textContent()).toContain('no luck')
    await outage.getByRole('link').first().click()
    await eventually(() => runs().count()).toBe(failures)
    expect(window()[0]).toBe(from + failedHour * hourMs)
  })

  test('runs show their status code, and a location opens its runs', async () => {
    await openCheck('&filterByStatus=failure')
    await eventually(() => runs().first().textContent()).toContain('503')
    await openCheck()
    await page.locator('.check-facts').getByRole('link', { name: otherPlace }).click()
    await eventually(() => page.getByLabel('Location of the runs').inputValue()).toBe(otherPlace)
    await eventually(() => page.locator('[data-panel="runs"] td .plain-link').allTextContents()).toEqual(Array(25).fill(otherPlace))
    await page.getByLabel('Location of the runs').selectOption('')
    await runs().first().locator('.plain-link').click()
    await eventually(() => query().get('location')).not.toBeNull()
  })

  test.each(['locations', 'failures', 'outages'])('a location of the %s opens its runs', async (panel) => {
    await openCheck()
    await page.locator(`[data-panel="${panel}"]`).scrollIntoViewIfNeeded()
    await page.locator(`[data-panel="${panel}"]`).getByRole('link', { name: place, exact: true }).click()
    await eventually(() => page.getByLabel('Location of the runs').inputValue()).toBe(place)
    expect(query().get('location')).toBe(place)
    expect(query().get('filterByStatus')).toBe(panel === 'locations' ? null : 'failure')
  })

  test('the location of a run opens the runs there, and the link back restores the view of the check', async () => {
    await openCheck('&filterByStatus=failure')
    const left = query().toString()
    await runs().first().getByRole('link').first().click()
    await page.getByRole('heading', { name: /^Run of / }).waitFor()
    await page.getByRole('link', { name: check.name, exact: true }).click()
    await eventually(() => query().toString()).toBe(left)
    await runs().first().getByRole('link').first().click()
    await page.getByLabel('The run').getByRole('link', { name: place }).click()
    await eventually(() => page.getByLabel('Location of the runs').inputValue()).toBe(place)
    expect(query().get('filterByStatus')).toBe('failure')
  })

  test.each(['quickRange=last6Hours', 'quickRange=last90Days', 'quickRange=last30Days'])(
    'all runs of %s can be exported',
    async (window) => {
      await show(page, `/checks/${check.id}?${window}`)
      await runs().first().waitFor()
      await page.getByRole('button', { name: 'Export Runs' }).click()
      const answer = await fetch(/'(http[^']+)'/.exec(await copied(page, 'For a shell'))?.[1] ?? '', {
        headers: { Authorization: `Bearer ${readKey}`, 'X-Service-Account': account },
      })
      const rows = (await answer.text()).trimEnd().split('\r\n').slice(1)
      const since = window === 'quickRange=last6Hours' ? Date.now() - 6 * hourMs : from
      const inside = results.filter(({ result }) => result.startedAt > since).length
      expect(Math.abs(rows.length - inside)).toBeLessThanOrEqual(2)
    },
  )

  test('runs are exported completely, with their filters', async () => {
    await openCheck(`&location=${place}`)
    await page.getByRole('button', { name: 'Export Runs' }).click()
    expect(await copied(page, 'For a shell')).toContain(`/v1/check-results/${check.id}/export?format=csv&from=`)
    await page.getByRole('button', { name: 'CSV' }).click()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as file' }).click()
    const [head = '', ...rows] = (await readFile(await (await saving).path(), 'utf8')).trimEnd().split('\r\n')
    expect(head).toContain('statusCode')
    expect(rows).toHaveLength(results.length / 2)
    expect(rows.every((row) => row.includes(place))).toBe(true)
  })
})
