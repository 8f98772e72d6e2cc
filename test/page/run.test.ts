// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Check, refOf } from '../../src/catalogue/catalogue.ts'
import { type Evidence, encodeEvidence } from '../../src/store/evidence.ts'
import type { FiledResult } from '../../src/store/store.ts'
import { minuteMs } from '../../src/time.ts'
import { testResult } from '../support/results.ts'
import {
  eventually,
  expectAccessible,
  expectQuiet,
  inSteps,
  openReader,
  openVisitor,
  type Reader,
  settled,
  show,
  signIn,
  stopAtFailure,
  wide,
} from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const checks = oneOfEach()
const phased = checks.find(({ checkType }) => checkType.phases.length > 0 && checkType.groupBy.length > 1) as Check
const paged = checks.find(({ checkType }) => Object.values(checkType.metrics).some(({ perPage }) => perPage)) as Check
const now = Date.now()
/** Later than all generated results, so that it stays the newest. */
const failedAt = now + 2 * minuteMs

const onePixel = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AR//Z',
  'base64',
)

const evidence: Evidence = {
  attempts: [
    {
      startedAt: failedAt,
      error: 'connection refused (10.0.0.7:443)',
      assertions: [{ text: 'status equals 200', passed: false, actual: 'none' }],
      response: null,
      steps: [],
      messages: [],
    },
    {
      startedAt: failedAt + 1000,
      error: 'status 503, expected 200',
      assertions: [
        { text: 'response time is less than 500 ms', passed: true, actual: '12 ms' },
        { text: 'status equals 200', passed: false, actual: '503' },
      ],
      response: {
        status: 503,
        headers: [{ name: 'retry-after', value: '120' }],
        body: `<h1>Sorry</h1>${'long '.repeat(500)}`,
        truncated: true,
      },
      steps: [
        { title: 'open the cart', durationMs: 12, error: null },
        { title: 'pay', durationMs: 700, error: 'no such button' },
      ],
      messages: ['consoleErrors: something broke'],
    },
  ],
  screenshot: onePixel,
}

function failing(check: Check, startedAt: number, error: string): FiledResult {
  const encoded = encodeEvidence(evidence, { evidenceBytes: 16_384, screenshotBytes: 10_000 })
  const { result } = testResult(check, startedAt, { hasFailures: true, error, attempts: 2, runLocation: 'eu-west-1' })
  return {
    check: refOf(check),
    result: { ...result, values: { ...result.values, statusCode: 503 } },
    evidence: encoded ?? new Uint8Array(),
  }
}

describe('a run on the page', inSteps, () => {
  let server: PageServer
  let last: FiledResult
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 1 })
    last = failing(phased, failedAt, 'status 503, expected 200')
    await server.store.append([
      failing(phased, now - 30 * minuteMs, 'payment took 4,711 ms'),
      failing(phased, now - 20 * minuteMs, 'payment took 1,234 ms'),
      failing(paged, failedAt, 'pay: no such button'),
      last,
    ])
  })
  afterAll(() => server?.close())

  const runPath = (check: Check, id: string | null) => `/checks/${check.id}/runs/${id}`

  describe.each([wide])('at $width px, $scheme', (look) => {
    let reader: Reader
    let page: Page
    beforeAll(async () => {
      reader = await openVisitor(server.origin + runPath(phased, last.result.id), look)
      page = reader.page
    })
    stopAtFailure()

    const panel = (name: string) => page.locator(`[data-panel="${name}"]`)
    const rowsOf = (name: string) => panel(name).locator('tbody tr').allTextContents()

    test('a link to a run leads to it after signing in', async () => {
      await signIn(page)
      await page.getByRole('heading', { name: /^Run of /, level: 1 }).waitFor()
      expect(page.url()).toBe(server.origin + runPath(phased, last.result.id))
      expect(await page.title()).toContain(phased.name)
      expect(await page.locator('h1 time').textContent(), 'the zone stands beside the time').toMatch(/\d\d:\d\d:\d\d \S+$/)
    })

    test('a run shows its reason, figures and phases', async () => {
      await panel('reason').getByText('status 503, expected 200').waitFor()
      const tile = (label: string) => page.locator('.tile', { hasText: label }).first().locator('dd').textContent()
      expect([await tile('Location'), await tile('Attempts'), await tile('Status code')]).toEqual(['eu-west-1', '2', '503'])
      expect(await panel('phases').locator('tbody tr').count()).toBe(phased.checkType.phases.length)
      const widths = await panel('phases')
        .locator('.waterfall-bar')
        .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width))
      expect(Math.max(...widths)).toBeGreaterThan(10)
    })

    test('every attempt shows what was expected and found, its steps, its response and its messages', async () => {
      await panel('attempt-1').getByText('connection refused (10.0.0.7:443)').waitFor()
      const second = panel('attempt-2')
      expect(await rowsOf('attempt-2')).toEqual([
        expect.stringMatching(/passed.*response time is less than 500 ms.*12 ms/),
        expect.stringMatching(/failed.*status equals 200.*503/),
        expect.stringMatching(/passed.*open the cart/),
        expect.stringMatching(/failed.*pay.*no such button/),
      ])
      await second.getByText('1 header').click()
      await second.getByText('retry-after: 120').waitFor()
      await second.getByText('<h1>Sorry</h1>').waitFor()
      await second.getByText('The stored body is truncated.').waitFor()
      await second.getByText('something broke').waitFor()
      await eventually(() =>
        page.getByAltText('The page when the run failed').evaluate((image) => 'naturalWidth' in image && image.naturalWidth),
      ).toBe(1)
      await expectAccessible(page)
    })

    test('the previous and the next run are one click away', async () => {
      expect(await page.getByRole('link', { name: 'Next run →' }).count()).toBe(0)
      await page.getByRole('link', { name: '← Previous run' }).click()
      await page.getByText('No evidence for this run.').waitFor()
      await expectAccessible(page)
      await page.getByRole('link', { name: 'Next run →' }).click()
      await panel('attempt-2').waitFor()
      expect(new URL(page.url()).pathname).toContain(last.result.id)
    })

    test('a run with pages shows their vitals', async () => {
      const { result } = failing(paged, failedAt, '')
      await show(page, runPath(paged, result.id))
      await eventually(() => panel('pages').locator('tbody tr').count()).toBe(result.pages.length)
      expect(await panel('pages').getByRole('columnheader').count()).toBeGreaterThan(3)
      await expectAccessible(page)
    })

    test('the page of a check shows why it fails, and links to runs', async () => {
      await show(page, `/checks/${phased.id}`)
      const reason = panel('failures').getByRole('link', { name: 'payment took # ms' })
      await reason.waitFor()
      await expectAccessible(panel('failures'))
      // A panel above it that is still growing would move it away from the pointer.
      await settled(page)
      await reason.click()
      await panel('reason').getByText('payment took 1,234 ms').waitFor({ timeout: 60_000 })
      await page.goBack()
      await panel('failures')
        .getByRole('row', { name: /payment took # ms/ })
        .getByRole('link', { name: '2', exact: true })
        .click()
      await eventually(() => page.url()).toContain('filterByStatus=failure')
      const rows = panel('runs').locator('tbody tr.failed')
      await eventually(() => rows.allTextContents()).toContainEqual(expect.stringContaining('payment took 4,711 ms'))
      await panel('runs').locator('tbody tr.failed a').first().click()
      await page.getByRole('heading', { name: /^Run of /, level: 1 }).waitFor()
    })

    test('an unknown run links to the check, and one of an unknown check to all checks', async () => {
      await show(page, runPath(phased, 'nobody'))
      await page.getByRole('alert').getByText('There is no such result of this check.').waitFor()
      await page.getByRole('link', { name: `All runs of ${phased.name}` }).click()
      await page.getByRole('heading', { name: phased.name, level: 1 }).waitFor()
      await show(page, `/checks/nobody/runs/nobody`)
      await page.getByRole('alert').getByText('There is no such check').waitFor()
      await page.getByRole('link', { name: 'All checks of this account' }).waitFor()
    })

    test('there was no console error except for missing parts, and no request to another origin', () =>
      expectQuiet(reader, server.origin, 'with missing parts'))
  })

  test('the code for runs is loaded only when one is shown', async () => {
    const { page, requests } = await openReader(server.origin)
    await page.getByRole('heading', { name: 'Checks', level: 1 }).waitFor()
    expect(requests.filter((url) => url.includes('/assets/run-view'))).toEqual([])
    await show(page, runPath(phased, last.result.id))
    await page.getByRole('heading', { name: /^Run of /, level: 1 }).waitFor()
    expect(requests.filter((url) => url.includes('/assets/run-view'))).toHaveLength(1)
  })
})
