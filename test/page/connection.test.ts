// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testResult } from '../support/results.ts'
import { type Line, openLine } from './line.ts'
import { eventually, expectAccessible, inChromium, openReader, type Reader, settled, show } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const [first, second, third] = oneOfEach()
if (!first || !second || !third) throw new Error('There are too few check types.')
const checks = [first, second, third]

describe('an open page', inChromium, () => {
  let server: PageServer
  let line: Line
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0 })
    await server.store.append(checks.map((check) => testResult(check, Date.now())))
  })
  afterAll(() => server?.close())
  beforeEach(async () => {
    line = await openLine(server.origin)
    reader = await openReader(line.origin)
    page = reader.page
  })
  afterEach(async () => {
    await page.context().close()
    await line.close()
  })

  const bar = () => page.locator('.connection')
  const names = () => page.locator('.checks .name > a').allTextContents()
  const fail = (check: (typeof checks)[number], hasFailures = true) =>
    server.store.append([testResult(check, Date.now(), { hasFailures, ...(hasFailures && { error: 'status 503' }) })])
  const streaming = () => eventually(() => reader.requests.some((url) => url.includes('/v1/check-results/stream'))).toBe(true)
  const setVisibility = (state: string) =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    )

  test('a filtered list adds a check that begins to fail, and removes one that recovers', async () => {
    await show(page, '/?status=failing')
    await page.getByText('No checks match these filters.').waitFor()
    await streaming()
    await fail(second)
    await eventually(names).toEqual([second.name])
    await eventually(() => page.title()).toBe('1 failing · Tidemark')
    await fail(second, false)
    await page.getByText('No checks match these filters.').waitFor()
  })

  test('the title and icon of a hidden tab are kept up to date', async () => {
    await show(page, '/wall')
    await eventually(() => page.title()).toBe('None failing · Tidemark')
    await streaming()
    await page.clock.install()
    await setVisibility('hidden')
    await fail(first)
    await page.clock.fastForward(61_000)
    await eventually(() => page.title()).toBe('1 failing · Tidemark')
    await eventually(() => page.locator('link[rel="icon"]').getAttribute('href')).toMatch(/^blob:/)
    await fail(first, false)
  })

  test('an unreachable server is reported once, with the time, and the page recovers on its own', async () => {
    await show(page, `/checks/${first.id}`)
    await page.locator('[data-panel="main"] canvas').waitFor()
    await settled(page)
    await streaming()
    await line.cut()
    await bar()
      .getByText(/^Disconnected since \d\d:\d\d:\d\d · figures as of \d\d:\d\d:\d\d · trying again$/)
      .waitFor()
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.plot')).opacity`)).toBe('0.4')
    await show(page, `/checks/${first.id}?quickRange=last7Days`)
    await page.locator('[data-panel="main"]').getByText('This loads once Tidemark is reachable again.').waitFor()
    expect(await page.locator('main canvas').count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(1)
    await eventually(() => page.title()).toBe(`Disconnected · ${first.name} · Tidemark`)
    await expectAccessible(bar())
    await line.mend()
    await bar().waitFor({ state: 'detached' })
    await page.locator('[data-panel="main"] canvas').waitFor()
  })

  test('a view whose code could not be loaded appears once the server is reachable', async () => {
    await streaming()
    await line.cut()
    await page.getByRole('link', { name: 'SLOs' }).click()
    await page.getByText('This view loads once Tidemark is reachable again.').waitFor()
    await line.mend()
    await page.getByRole('heading', { name: 'SLOs', level: 1 }).waitFor()
  })

  test('a view whose code fails to load once appears without a reload', async () => {
    await streaming()
    await page.route(/\/assets\/slos-view-/, (route) => route.abort('internetdisconnected'), { times: 1 })
    await page.evaluate('window.isBefore = true')
    await page.getByRole('link', { name: 'SLOs' }).click()
    await page.getByRole('heading', { name: 'SLOs', level: 1 }).waitFor()
    expect(await page.evaluate('window.isBefore')).toBe(true)
  })

  test('after an upgrade the page offers to reload, and a view whose code is gone loads the new page', async () => {
    await streaming()
    await page.route(/\/assets\/slos-view-/, (route) => route.fulfill({ status: 404, json: { message: 'There is nothing.' } }))
    await page.route(`${line.origin}/`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replaceAll('/assets/index-', '/assets/index-2') })
    })
    await line.cut()
    await bar().waitFor()
    await line.mend()
    await bar().getByText('Tidemark was upgraded').waitFor()
    await bar().getByRole('button', { name: 'Reload' }).waitFor()
    await page.evaluate('window.isBefore = true')
    const reloaded = page.waitForEvent('load')
    await page.getByRole('link', { name: 'SLOs' }).click()
    await reloaded
    expect(await page.evaluate('window.isBefore')).toBeUndefined()
    await page.getByRole('heading', { name: 'This part of the page could not be loaded.' }).waitFor()
    await page.getByRole('button', { name: 'Reload' }).waitFor()
  })
})
