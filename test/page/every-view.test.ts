// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { hourMs, minuteMs } from '../../src/time.ts'
import { testSlo } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'
import { expectStill } from './layout-shift.ts'
import {
  eventually,
  expectAccessible,
  expectAccessibleContent,
  expectAccessibleLook,
  expectQuiet,
  inChromium,
  type Look,
  lookAt,
  openReader,
  type Reader,
  settled,
  show,
  wide,
} from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

/** The combinations that the other tests leave out. */
const narrowLight: Look = { width: 360, scheme: 'light' }
const widest: Look = { width: 2560, scheme: 'dark' }

const now = Date.now()
const checks = oneOfEach()
const phased = checks.find(({ checkType }) => checkType.phases.length > 0) as Check
const lastRun = testResult(phased, now - minuteMs, { runLocation: phased.locations[0] ?? '', hasFailures: true })
const policies = {
  slos: [testSlo('all')],
  maintenance: [
    { name: 'Database move', from: now - hourMs, to: now + hourMs, checks: [], tags: [] },
    { name: 'New cables', from: now + 24 * hourMs, to: now + 25 * hourMs, checks: [], tags: [] },
  ],
}

const ofAccount = ['/', '/overview', '/wall', '/outages', '/alerts', '/slos', '/slos/all', '/locations', '/audit', '/deleted']
const ofCheck = ['', '/badge', '/history', `/runs/${lastRun.result.id}`].map((path) => `/checks/${phased.id}${path}`)
const more = [
  '/?sort=p95&status=passing',
  `/checks/${phased.id}/runs/none`,
  ...['quickRange=last1Hour', 'quickRange=last90Days&groupBy=runLocation', 'groupBy=statusCode'].map(
    (query) => `/checks/${phased.id}?${query}`,
  ),
  `/checks/${phased.id}?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z`,
  '/nowhere/at/all',
]

let server: PageServer
beforeAll(async () => {
  if (inChromium.skip) return
  server = await startPageServer({ checks, days: 1, policies, managed: true, scopes: ['read', 'write'] })
  await server.store.append([lastRun])
})
afterAll(() => server?.close())

describe('with checks', inChromium, () => {
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    reader = await openReader(server.origin, narrowLight)
    page = reader.page
    await answerLate(page)
  })

  describe('after a reload, on a narrow screen', () => {
    beforeEach(() => lookAt(page, narrowLight))

    test.each([...ofAccount, ...ofCheck])('%s is accessible, fits, and has no layout shifts, also on a wide screen', async (path) => {
      await page.goto(server.origin + path)
      await loaded(page)
      await expectStill(page)
      await expectAccessible(page)
      await lookAt(page, widest)
      await expectAccessibleLook(page)
    })

    test.each(['/', '/overview', `/checks/${phased.id}`])('every control of %s is reachable with the Tab key', async (path) => {
      await page.goto(server.origin + path)
      await loaded(page)
      await seeAll(page)
      await expectTabStops(page)
    })
  })

  describe('through a link, on a narrow screen', () => {
    beforeAll(() => lookAt(page, narrowLight))

    test.each(more)('%s is accessible, fits, and has no layout shifts', async (path) => {
      await expectToFollowStill(page, path)
      await expectAccessibleContent(page)
    })

    test.each(checks)('a check of type $checkType.type is so, too, and labels its columns', async ({ id, checkType }) => {
      await expectToFollowStill(page, `/checks/${id}`)
      await page.locator('[data-panel="main"]').scrollIntoViewIfNeeded()
      await page.locator('[data-panel="main"] canvas').waitFor()
      await page.locator('[data-panel="runs"] tbody tr').first().waitFor()
      await seeAll(page)
      await expectAccessibleContent(page)
      const heads = await page
        .locator('[data-panel="runs"] th[title]')
        .evaluateAll((all) => all.map((head) => [head.getAttribute('title'), head.textContent]))
      for (const [name, words] of heads) expect(words).toBe(checkType.metrics[name ?? '']?.label)
      if (checkType.duration !== null) expect(heads.map(([name]) => name)).toContain(checkType.duration)
    })
  })

  describe('on a wide screen', () => {
    beforeAll(() => lookAt(page, widest))

    test.each([...ofAccount, ...ofCheck])('%s has no layout shifts while it loads', (path) => expectToFollowStill(page, path))

    test.each(['/slos/all', ofCheck.at(-1) ?? ''])('the figures of %s fit on one line each', async (path) => {
      await lookAt(page, wide)
      await expectToFollowStill(page, path)
      await page.locator('.tile').first().waitFor()
      const wrapped = await page
        .locator('.tile > dd:first-of-type')
        .evaluateAll((values) =>
          values.filter((value) => value.getClientRects().length > 1 || value.clientHeight > 40).map((value) => value.textContent),
        )
      expect(wrapped).toEqual([])
    })
  })

  test.each([narrowLight, widest])('a check has no layout shifts, however late its state is loaded, at $width px', async (look) => {
    await lookAt(page, look)
    const lateStatus = `**/v1/check-statuses/${phased.id}`
    await page.route(lateStatus, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await route.continue().catch(() => {})
    })
    const answered = page.waitForResponse(lateStatus)
    await page.goto(`${server.origin}/checks/${phased.id}?quickRange=last1Hour`)
    await answered
    await settled(page)
    await expectStill(page)
    await page.unroute(lateStatus)
  })

  test('there was no console error except for missing parts, and no request to another origin', () =>
    expectQuiet(reader, server.origin, 'with missing parts'))
})

describe('without checks', inChromium, () => {
  let empty: PageServer
  let page: Page
  beforeAll(async () => {
    empty = await startPageServer({ checks: [], policies: { slos: policies.slos }, managed: true })
    page = (await openReader(empty.origin, narrowLight)).page
  })
  afterAll(() => empty?.close())

  test.each(ofAccount)('%s is accessible, fits, and has no layout shifts while it loads', async (path) => {
    await page.goto(empty.origin + path)
    await loaded(page)
    await expectStill(page)
    await expectAccessible(page)
  })
})

async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor()
  await settled(page)
}

async function expectToFollowStill(page: Page, path: string): Promise<void> {
  await show(page, '/nowhere')
  const since = Number(await page.evaluate('performance.now()'))
  await show(page, path)
  await loaded(page)
  await expectStill(page, since)
}

/** Delays each response a little longer than the one before; the page waits for those of its head. */
async function answerLate(page: Page): Promise<void> {
  let requests = 0
  page.on('framenavigated', () => {
    requests = 0
  })
  await page.route('**/v1/**', async (route) => {
    const after = (requests++ % 8) * 40
    await new Promise((resolve) => setTimeout(resolve, after))
    await route.continue().catch(() => {})
  })
}

/** Panels load their content when they become visible. */
async function seeAll(page: Page): Promise<void> {
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await eventually(() => page.locator('main .unloaded').count()).toBe(0)
  await settled(page)
  await page.evaluate('scrollTo(0, 0)')
}

async function expectTabStops(page: Page): Promise<void> {
  const stops = Number(await page.evaluate(countStops))
  for (let press = 0; press < stops; press++) await page.keyboard.press('Tab')
  expect(await page.evaluate('stopsReached.size')).toBe(stops)
}

const stopSelector = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** Runs in the page: how many controls Tab should stop at, at most a hundred; `stopsReached` contains those that it reached. */
const countStops = `(() => {
  const shown = [...document.querySelectorAll('${stopSelector}')].filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility())
  const stops = new Set(shown.slice(0, 100))
  window.stopsReached = new Set()
  addEventListener('focusin', ({ target }) => { if (stops.has(target)) stopsReached.add(target) })
  return stops.size
})()`
