// @slow
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testResult } from '../support/results.ts'
import { eventually, expectQuiet, inChromium, openReader, type Reader, show } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const isStream = (url: string) => url.includes('/v1/check-results/stream?')
const isSummary = (url: string) => url.includes('/v1/analytics/checks?')

describe('live results on the page', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    reader = await openReader(`${server.origin}/slos`)
    page = reader.page
  })
  afterAll(() => server?.close())

  const streaming = () => eventually(() => reader.requests.some(isStream)).toBe(true)

  test('a new result of the current check appears without a reload', async () => {
    const [check] = server.checks
    if (check === undefined) throw new Error('There are no checks.')
    await show(page, `/checks/${check.id}`)
    const runs = page.locator('[data-panel="runs"] tbody')
    await runs.locator('tr').first().waitFor()
    await streaming()
    await server.store.append([testResult(check, Date.now(), { hasFailures: true, error: 'the live failure' })])
    await runs.getByText('the live failure').waitFor()
  })

  test('the list is refreshed after new results, once for many of them', async () => {
    await show(page, '/')
    await page.locator('.day-bar[role=img]').first().waitFor()
    const before = reader.requests.filter(isSummary).length
    await server.store.append(server.checks.flatMap((check) => [0, 1, 2].map((i) => testResult(check, Date.now() + i))))
    await eventually(() => reader.requests.filter(isSummary).length).toBe(before + 1)
  })

  test('all views share one stream for the whole account', async () => {
    for (const link of ['Overview', 'Alerts', 'SLOs']) {
      await page.getByRole('link', { name: link, exact: true }).click()
      await page.getByRole('heading', { name: link, level: 1 }).waitFor()
    }
    expect(reader.requests.filter(isStream)).toEqual([`${server.origin}/v1/check-results/stream?events=results,alerts`])
  })

  test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
})
