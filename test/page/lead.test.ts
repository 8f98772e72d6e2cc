// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { dayMs, minuteMs } from '../../src/time.ts'
import { credentials, testCheck } from '../support/catalogue.ts'
import { anyRunType, pingedTypes } from '../support/example-config.ts'
import { measured, testResult } from '../support/results.ts'
import {
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
} from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const now = Date.now()
const since = now - 200 * minuteMs
const more = { everyMs: 10 * minuteMs, runParallel: true, createdAt: now - 30 * dayMs, updatedAt: since - 5 * minuteMs }
const down = testCheck(anyRunType(), { ...more, id: 'down', name: 'Down', locations: ['ap', 'eu', 'us'] })
const never = testCheck(anyRunType(), { ...more, id: 'never', name: 'Never', locations: ['eu'] })
const paused = testCheck(anyRunType(), { ...more, id: 'paused', name: 'Paused one', activated: false })
const slow = testCheck(anyRunType(), {
  ...more,
  id: 'slow',
  name: 'Slow',
  locations: ['eu', 'us'],
  written: { degradedResponseTime: 800 },
})
const jobs = pingedTypes.map((type): Check => testCheck(type, { ...more, id: 'job', name: 'Job' })).slice(0, 1)

/** Failed runs have no measured values; the first location is fine. */
const runsOfDown = Array.from({ length: 23 }, (_, i) => since + (i - 3) * 10 * minuteMs).flatMap((at) =>
  down.locations.map((runLocation) => {
    const hasFailures = runLocation !== 'ap' && at >= since
    return testResult(down, at, { runLocation, hasFailures, ...(hasFailures && { error: 'status 503, expected 200', values: {} }) })
  }),
)

/** Degraded at one of two locations for fifty minutes. */
const runsOfSlow = Array.from({ length: 12 }, (_, i) => i * 10 * minuteMs).flatMap((ago) =>
  slow.locations.map((runLocation) => {
    const isDegraded = runLocation === 'us' && ago <= 50 * minuteMs
    const values = { ...measured(slow, now - ago), [slow.checkType.duration ?? '']: isDegraded ? 1200 : 300 }
    return testResult(slow, now - ago, { runLocation, isDegraded, values })
  }),
)

describe('the page of a check starts with what is wrong', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks: [down, slow, never, paused, ...jobs], days: 0 })
    await server.store.append([...runsOfDown, ...runsOfSlow])
    reader = await openReader(`${server.origin}/checks/down`)
    page = reader.page
  })
  afterAll(() => server?.close())

  const lead = () => page.locator('[data-panel="lead"]')
  const openFirstFailedRun = async () => {
    await lead().getByRole('link', { name: 'first' }).click()
    await page.getByRole('heading', { name: 'Why it failed' }).waitFor()
  }

  test('since when it fails, why, where, in which runs, and what changed, above all charts', async () => {
    await show(page, '/checks/down')
    await eventually(() => lead().textContent()).toMatch(
      /^Failing for 3 h 2\d minstatus 503, expected 200Since.*Where2 of 3: eu, us.*Failed runsfirst … lastDefinitionchanged 5 min before$/,
    )
    const [top = 0, chart = 0] = await Promise.all(
      ['[data-panel="lead"]', '[data-panel="main"]'].map(async (panel) => (await page.locator(panel).boundingBox())?.y),
    )
    expect(top).toBeLessThan(chart)
    await settled(page)
    await expectAccessible(lead())
    await openFirstFailedRun()
  })

  test('the runs before and after a run are those of its location', async () => {
    await show(page, '/checks/down')
    await openFirstFailedRun()
    await page.getByRole('link', { name: 'Next run' }).click()
    const location = page.locator('.tile', { hasText: 'Location' })
    await eventually(() => page.url()).toContain(encodeURIComponent(new Date(since + 10 * minuteMs).toISOString()).replaceAll('%3A', ':'))
    expect(await location.textContent()).toBe('Locationeu')
    await page.getByRole('link', { name: 'Previous run' }).click()
    await eventually(() => page.url()).toContain(new Date(since).toISOString())
    expect(await location.textContent()).toBe('Locationeu')
  })

  test('since when it is degraded, by which limit, where and in which run', async () => {
    await show(page, '/checks/slow')
    await eventually(() => lead().textContent()).toMatch(
      /^Degraded for 5\d min.*: 1.2 s, more than 800 msSince.*Where1 of 2: usDegraded runthe newestDefinition/,
    )
    await settled(page)
    await expectAccessible(lead())
    await lead().getByRole('link', { name: 'the newest' }).click()
    await page.getByRole('heading', { name: /^Run of /, level: 1 }).waitFor()
    expect(await page.locator('.view-head .state').textContent()).toBe('degraded')
  })

  test('if all runs failed, charts do not suggest a longer window', async () => {
    await show(page, '/checks/down?filterByStatus=failure')
    await page.getByText('40 runs, none got a response.').first().waitFor()
    expect(await page.getByText('Choose a longer window').count()).toBe(0)
  })

  test('a check that never ran shows why and what to do, and no empty charts', async () => {
    await show(page, '/checks/never')
    await eventually(() => lead().textContent()).toMatch(/^No run yetThe server runs the checks at eu. /)
    expect(await page.locator('.panel').count()).toBe(1)
    await show(page, '/checks/paused')
    await eventually(() => lead().textContent()).toMatch(/^PausedIt is paused. /)
    await expectAccessible(page)
  })

  test('a job that never pinged shows its URL and a line for cron', async () => {
    await show(page, '/checks/job')
    const { ping } = (await (await fetch(`${server.origin}/v1/checks/job/definition`, { headers: credentials })).json()) as {
      ping: { token: string }
    }
    const address = `${server.origin}/ping/${ping.token}`
    expect(await copied(page, 'The URL to ping')).toBe(address)
    expect(await page.locator('.copyable pre').last().textContent()).toContain(`&& curl -fsS -m 10 --retry 3 -o /dev/null "${address}"`)
    await expectAccessible(page)
  })

  test('the summary fits a narrow screen', async () => {
    await lookAt(page, narrow)
    await show(page, '/checks/down')
    await lead().locator('dl').waitFor()
    await settled(page)
    await expectAccessibleLook(lead())
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})
