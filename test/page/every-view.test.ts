// @slow
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { minuteMs } from '../../src/time.ts'
import { account, readKey, testSlo } from '../support/catalogue.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { layoutShift } from './layout-shift.ts'
import { expectAccessible, expectQuiet, openReader, type Reader } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 120_000 }
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 30_000 })

/** So many checks of all types in turn. */
function manyChecks(count: number): readonly Check[] {
  const types = oneOfEach()
  return Array.from({ length: count }, (_, index) => {
    const like = types[index % types.length] as Check
    return { ...like, id: `check-${index}`, name: `${like.name} ${index}`, tags: [...like.tags, `team-${index % 20}`] }
  })
}

const now = Date.now()

const lastRun = (check: Check) =>
  testResult(check, now - minuteMs, { runLocation: check.locations[0] ?? 'default', hasFailures: check.id === 'check-0' })

const common = ['/', '/?sort=p95&status=passing', '/overview', '/wall', '/slos', '/slos/all', '/locations']
/** The same for every account. */
const constant = ['/docs', '/nowhere/at/all']
const looks = [
  { width: 360, scheme: 'light' },
  { width: 2560, scheme: 'dark' },
] as const

describe.each([0, 1, 9, 300])('with %i checks', options, (count) => {
  const checks = manyChecks(count)
  let browser: Browser
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0, policies: { slos: [testSlo('all')] } })
    await server.store.append(checks.map(lastRun))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  const views = checks.slice(0, 1).flatMap((check) => {
    const path = `/checks/${check.id}`
    return [
      path,
      `${path}?quickRange=last90Days&groupBy=runLocation`,
      `${path}/badge`,
      `${path}/runs/${lastRun(check).result.id}`,
      `${path}/runs/none`,
    ]
  })

  describe.each(looks)('at $width px, $scheme', (look) => {
    let reader: Reader
    let page: Page
    beforeAll(async () => {
      reader = await openReader(browser, server.origin, look)
      page = reader.page
      await page.getByLabel('Account').fill(account)
      await page.getByLabel('API key').fill(readKey)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    })
    afterAll(() => reader?.close())

    test.each([...common, ...(count === 1 ? constant : []), ...views])(
      '%s is accessible, fits, and stays where it is while it loads',
      async (path) => {
        await page.goto(server.origin + path)
        await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor()
        await eventually(() => page.locator('main [aria-busy=true], main .skeleton').count()).toBe(0)
        expect(await layoutShift(page)).toBeLessThanOrEqual(0.02)
        await expectAccessible(page)
      },
    )

    test.each(['/', '/overview', ...views.slice(0, 1)])('every control of %s is reached by the Tab key', async (path) => {
      await page.goto(server.origin + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await eventually(() => page.locator('main [aria-busy=true], main .skeleton').count()).toBe(0)
      const stops = await page.evaluate(countStops)
      const reached = new Set<unknown>()
      for (let press = 0; press < Number(stops); press++) {
        await page.keyboard.press('Tab')
        reached.add(await page.evaluate(focusedStop))
      }
      expect([...reached].filter((stop) => stop !== null)).toHaveLength(Number(stops))
    })

    test('there was no console error but for what is missing, and no request to another origin', () => {
      const errors = reader.consoleErrors.filter((text) => !text.includes('status of 404'))
      expectQuiet({ ...reader, consoleErrors: errors }, server.origin)
    })
  })
})

const stopSelector = 'a[href], button, input, select, textarea, summary, [tabindex]'

/** Runs in the page: the controls that Tab should stop at, of which the first hundred are numbered. */
const countStops = `(() => {
  const shown = [...document.querySelectorAll('${stopSelector}')].filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility())
  shown.slice(0, 100).forEach((element, index) => { element.dataset.stop = index })
  return Math.min(100, shown.length)
})()`

const focusedStop = `document.activeElement?.dataset.stop ?? null`
