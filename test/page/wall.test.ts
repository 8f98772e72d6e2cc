// @slow
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '../../src/time.ts'
import { testCheck } from '../support/catalogue.ts'
import { anyRunType } from '../support/example-config.ts'
import { testResult } from '../support/results.ts'
import { eventually, expectAccessible, expectQuiet, inChromium, openReader, type Reader, resize, show } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const tagCount = 30
const failing = 8
const error = 'status 503, expected 200: the upstream server of the basket has closed the connection while the headers were read'
const more = { everyMs: 10 * minuteMs, locations: ['eu'], createdAt: Date.now() - dayMs }
const checks = Array.from({ length: 2 * tagCount }, (_, i) =>
  testCheck(anyRunType(), { ...more, id: `check-${i}`, name: `A check with a long name, number ${i}`, tags: [`team-${i % tagCount}`] }),
)
const silent = testCheck(anyRunType(), { ...more, id: 'silent', name: 'Nightly import', tags: ['jobs'] })

const screens = [
  [1280, 900],
  [2560, 900],
  [1920, 1080],
  [768, 1024],
  [360, 800],
] as const

describe('the wall', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks: [...checks, silent], days: 0 })
    const start = Date.now() - 20 * minuteMs
    const runs = [start, start + 10 * minuteMs].flatMap((at) =>
      checks.map((check, i) => testResult(check, at, i < failing ? { hasFailures: true, error } : {})),
    )
    await server.store.append(runs)
    reader = await openReader(`${server.origin}/wall`)
    page = reader.page
    await page.getByRole('heading', { name: `${failing} checks failing`, level: 1 }).waitFor()
  })
  afterAll(() => server?.close())

  const overflow = () =>
    page.evaluate<number[]>(
      '[document.documentElement, document.querySelector(".wall")].flatMap((box) => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth])',
    )

  test.each(screens)('fits a screen of %d by %d, and shows every tag', async (width, height) => {
    await resize(page, { width, height })
    for (const tags of ['', '?tag=team-0', '?tag=team-0,team-20']) {
      await show(page, `/wall${tags}`)
      const expected = tags === '' ? tagCount + 1 : tags.split(',').length
      await eventually(() => page.locator('.wall h2').count()).toBe(expected)
      await eventually(overflow).toEqual([0, 0, 0, 0])
      const below = page.evaluate(
        '[...document.querySelectorAll(".wall h2")].filter((head) => head.getBoundingClientRect().bottom > innerHeight).length',
      )
      expect(await below).toBe(0)
    }
  })

  test('shows what fails, for how long and why, and what is unknown', async () => {
    await resize(page, { width: 1280, height: 900 })
    await show(page, '/wall?tag=team-0,jobs')
    const square = (tag: string) => page.locator('.wall-square', { has: page.getByRole('heading', { name: tag, exact: true }) })
    await eventually(() => square('team-0').textContent()).toMatch(/number 0 for 2\d min · status 503, expected 200/)
    expect(await square('jobs').textContent()).toContain('Nightly import no run yet')
    await eventually(() => page.title()).toBe('1 failing · team-0 · jobs · Tidemark')
    await expectAccessible(page)
  })

  test('shows a message for a tag that no check has', async () => {
    await show(page, '/wall?tag=nothing')
    await page.getByText('No check has the tag nothing.').waitFor()
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})
