// @slow ci
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'
import {
  boxOf,
  copied,
  eventually,
  expectAccessible,
  expectAccessibleLook,
  expectQuiet,
  inChromium,
  lookAt,
  narrow,
  openReader,
  type Reader,
  settled,
  show,
  styleOf,
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const checkType = anyRunType()
/** Results hold longer than these tests take. */
const more = { everyMs: 10 * minuteMs, runParallel: true }
const flapping = testCheck(checkType, { ...more, id: 'flapping', name: 'Flapping', tags: ['shop'], locations: ['eu'] })
const down = testCheck(checkType, { ...more, id: 'down', name: 'Down', tags: ['shop', 'web'], locations: ['eu', 'us', 'ap'] })
const quiet = testCheck(checkType, { ...more, id: 'quiet', name: 'Quiet', tags: ['web'], locations: ['eu'] })
const flaps = 130

/** Fails every other minute. */
const runsOfFlapping = (to: number) =>
  Array.from({ length: 2 * flaps }, (_, i) =>
    testResult(flapping, to - (i + 1) * minuteMs, { hasFailures: i % 2 === 1, error: i % 2 === 1 ? 'refused' : null }),
  )

/** Long ago, with more outages than fit on a page. */
const restlessTo = Date.now() - 60 * dayMs
const restlessRuns = Array.from({ length: 2200 }, (_, i) =>
  testResult(flapping, restlessTo - (i + 1) * minuteMs, { hasFailures: i % 2 === 1, error: `number ${(i + 1) / 2}` }),
)

/** Fails at two of three locations for the last three hours and twenty minutes. */
function runsOfDown(to: number) {
  return Array.from({ length: 230 }, (_, i) => to - (230 - i) * minuteMs).flatMap((at) =>
    down.locations.map((runLocation) => {
      const hasFailures = runLocation !== 'ap' && to - at <= 200 * minuteMs
      return testResult(down, at, { runLocation, hasFailures, error: hasFailures ? 'status 503, expected 200' : null })
    }),
  )
}

describe('outages', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    const checks: readonly Check[] = [flapping, down, quiet]
    server = await startPageServer({ checks, days: 0 })
    const to = Date.now()
    await server.store.append([...restlessRuns, ...runsOfFlapping(to), ...runsOfDown(to), testResult(quiet, to - minuteMs)])
    reader = await openReader(`${server.origin}/`)
    page = reader.page
  })
  afterAll(() => server?.close())

  const rows = () => page.locator('[data-panel="outages"] tbody tr')
  const note = () => page.locator('[data-panel="outages"] > header .note').textContent()

  test('are shown in the list of checks with their duration and reason', async () => {
    await show(page, '/')
    const row = page.locator('.checks tr', { hasText: 'Down' })
    await eventually(() => row.locator('.trouble-note').textContent()).toMatch(/^for 3 h 2\d min · status 503, expected 200$/)
    expect(await page.locator('.checks tr', { hasText: 'Quiet' }).locator('.trouble-note').count()).toBe(0)
  })

  test('of all checks are listed: open ones first, with count and length, and more on demand', async () => {
    await show(page, '/')
    await page.getByRole('link', { name: 'Outages', exact: true }).click()
    await page.getByRole('heading', { name: 'Outages', level: 1 }).waitFor()
    await eventually(note).toMatch(/^51 of 131 outages, 1 still open; \d h \d+ min together$/)
    expect(await rows().count()).toBe(51)
    const first = rows().first()
    expect(await first.textContent()).toMatch(/^since .*Down3 h 2\d minstatus 503, expected 200eu, usfirst … last$/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Show more' }).click()
    await eventually(() => rows().count()).toBe(131)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    await eventually(note).toMatch(/^131 outages, 1 still open; /)
  })

  test('can be filtered by state, tag, check and location, in the URL', async () => {
    await show(page, '/outages')
    await page.getByLabel('State').selectOption('open')
    await eventually(() => rows().count()).toBe(1)
    await eventually(note).toMatch(/^1 outage, still open; /)
    await show(page, '/outages?tag=web')
    await eventually(() => rows().count()).toBe(1)
    await show(page, '/outages?location=us&state=over')
    await page.getByText('No outages in this window.').waitFor()
    await page.getByLabel('State').selectOption('')
    await eventually(() => page.url()).toMatch(/\/outages\?location=us$/)
    await eventually(() => rows().count()).toBe(1)
  })

  test('link to their failed runs, and can be exported', async () => {
    await show(page, '/outages?location=us')
    await rows().first().getByRole('link', { name: 'first' }).click()
    await page.getByRole('heading', { name: 'Why it failed' }).waitFor()
    await page.goBack()
    await rows().first().waitFor()
    await page.getByRole('button', { name: 'Export Outages' }).click()
    expect(await copied(page, 'For a shell')).toContain('/v1/analytics/outages?runLocation=us&from=')
    await page.getByRole('button', { name: 'Close' }).click()
    await rows()
      .first()
      .getByRole('link', { name: /^since/ })
      .click()
    await eventually(() => page.url()).toMatch(/\/checks\/down\?from=.*&filterByStatus=failure#runs$/)
  })

  test('of one check are counted, and more are shown on demand', async () => {
    await show(page, '/checks/flapping')
    await eventually(note).toMatch(/^10 of 130 outages; /)
    await page.getByRole('button', { name: 'Show more' }).click()
    await eventually(() => rows().count()).toBe(40)
    await settled(page)
    await expectAccessible(page.locator('[data-panel="outages"]'))
  })

  test('and other tables of a check have no scroll box', async () => {
    await show(page, '/checks/flapping?quickRange=last6Hours&aggregationInterval=10&table=main')
    const table = page.locator('[data-panel="main"] .rows-table')
    await eventually(() => table.locator('tbody tr').count()).toBeGreaterThan(25)
    expect(await table.evaluate((box) => box.scrollHeight - box.clientHeight)).toBe(0)
  })

  test('and failures have the same notice when there are none', async () => {
    await show(page, '/checks/quiet')
    const empty = ['failures', 'outages'].map((name) => page.locator(`[data-panel="${name}"] .notice`))
    const looks = await Promise.all(
      empty.map(async (notice) => {
        await notice.scrollIntoViewIfNeeded()
        return [await styleOf(notice, 'text-align'), await styleOf(notice.locator('strong'), 'font-weight'), (await boxOf(notice)).height]
      }),
    )
    expect(looks[0]).toEqual(looks[1])
  })

  test('can be paged to the last one if there are too many for one page', async () => {
    const ends = `from=${new Date(restlessTo - 10 * dayMs).toISOString()}&to=${new Date(restlessTo).toISOString()}`
    await show(page, `/outages?checkId=flapping&${ends}`)
    await eventually(note).toMatch(/^50 of 1,100 outages; /)
    for (const count of [200, 800, 1000]) {
      await page.getByRole('button', { name: 'Show more' }).click()
      await eventually(() => rows().count()).toBe(count)
    }
    const next = page.getByRole('button', { name: 'Older' })
    await next.click()
    await eventually(note).toMatch(/^1,001 to 1,100 of 1,100 outages; /)
    expect(await rows().last().textContent()).toContain('number 1100')
    expect(await next.count()).toBe(0)
    await page.getByRole('button', { name: 'Export Outages' }).click()
    await page.getByText('A response has at most 1,000 of these 1,100 outages.').waitFor()
    await page.getByRole('button', { name: 'CSV' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as file' }).click()
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(1 + 1100)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Newer' }).click()
    await eventually(note).toMatch(/^1,000 of 1,100 outages; /)
    await show(page, '/outages?checkId=flapping')
    await eventually(note).toMatch(/^50 of 130 outages; /)
  })

  test('disappear from the open ones even if they ended before the page loaded them', async () => {
    await page.route(
      '**/v1/analytics/outages?state=open*',
      async (route) => {
        await server.store.append([testResult(quiet, Date.now() - 1, { hasFailures: true, error: 'briefly' })])
        const response = await route.fetch()
        await server.store.append([testResult(quiet, Date.now())])
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    const answered = page.waitForResponse('**/v1/analytics/outages?state=open*')
    await show(page, '/outages?state=open')
    expect(await (await answered).text()).toContain('briefly')
    // The outage may be shown for a moment, or not at all.
    await settled(page)
    await eventually(() => rows().count()).toBe(1)
    expect(await rows().first().textContent()).toContain('Down')
  })

  test('appear and end without a reload', async () => {
    await show(page, '/outages')
    await eventually(note).toMatch(/1 still open/)
    await show(page, '/outages?state=open')
    await eventually(note).toMatch(/^1 outage, still open; /)
    await settled(page)
    await server.store.append([testResult(quiet, Date.now(), { hasFailures: true, error: 'gone' })])
    await eventually(() => rows().first().textContent()).toMatch(/Quiet.*gone/)
    await server.store.append([testResult(quiet, Date.now())])
    await eventually(() => rows().count()).toBe(1)
  })

  test('fit a narrow screen', async () => {
    await lookAt(page, narrow)
    await show(page, '/outages')
    await rows().first().waitFor()
    await expectAccessibleLook(page)
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})
