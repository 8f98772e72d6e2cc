// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { boxOf, eventually, expectQuiet, inChromium, openReader, openVisitor, pixelsOf, resize, settled, show, signIn } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe('the page', inChromium, () => {
  let server: PageServer
  let page: Page
  let checkPath: string
  beforeAll(async () => {
    server = await startPageServer({ days: 1 })
    checkPath = `/checks/${server.checks[0]?.id}`
    page = (await openReader(server.origin)).page
  })
  afterAll(() => server?.close())
  afterEach(async () => {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await resize(page, { width: 1280, height: 800 })
  })

  const panel = (name: string) => page.locator(`[data-panel="${name}"]`)
  const failing = (pattern: string) => page.route(pattern, (route) => route.fulfill({ status: 500, json: { message: 'It broke.' } }))

  test('signs in by a one-time link, which shows an error when used again', async () => {
    const link = `${server.origin}/#code=${server.newCode()}`
    const first = await openVisitor(link)
    await first.page.getByRole('heading', { name: 'Checks' }).waitFor()
    expect(first.page.url()).toBe(`${server.origin}/`)
    expectQuiet(first, server.origin)
    const second = await openVisitor(link)
    await second.page.getByRole('alert').getByText('This link was already used').waitFor()
    for (const { page } of [first, second]) await page.context().close()
  })

  test('shows what is wrong with a key, and what to do if a check does not exist', async () => {
    const { page } = await openVisitor(`${server.origin}/checks/nobody`)
    await page.getByLabel('Account').fill('acme')
    await page.getByLabel('API key').fill('tdm_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('tidemark key create').waitFor()
    await signIn(page)
    await page.getByRole('alert').getByText('There is no such check').waitFor()
    await page.getByRole('link', { name: 'All checks of this account' }).click()
    await page.getByRole('heading', { name: 'Checks' }).waitFor()
    await page.context().close()
  })

  test('shows the type and the tags of a check at every width', async () => {
    await show(page, '/')
    for (const width of [360, 800, 1280]) {
      await resize(page, { width, height: 800 })
      for (const { name, tags, checkType } of server.checks) {
        const row = page.locator('.checks tbody tr').filter({ has: page.getByRole('link', { name, exact: true }) })
        await row.getByText(checkType.label).waitFor()
        for (const tag of tags) await row.getByRole('link', { name: tag, exact: true }).waitFor()
      }
    }
    await page.getByRole('link', { name: 'network', exact: true }).first().click()
    const tagged = server.checks.filter(({ tags }) => tags.includes('network'))
    await eventually(() => page.locator('.checks tbody tr').count()).toBe(tagged.length)
  })

  test('cancels pending requests of a view that was left', async () => {
    await show(page, '/')
    const cancelled: string[] = []
    page.on('requestfailed', (request) => cancelled.push(request.url()))
    await page.route('**/v1/analytics/*/*', () => {})
    await page.getByRole('link', { name: server.checks[0]?.name ?? '', exact: true }).click()
    await panel('main').locator('.skeleton').waitFor()
    await page.goBack()
    await eventually(() => cancelled.filter((url) => url.includes('/v1/analytics/')).length).toBeGreaterThan(1)
  })

  test('keeps the last chart while another loads', async () => {
    await page.goto(`${server.origin}${checkPath}`)
    await panel('main').locator('canvas').waitFor()
    await page.route('**/v1/analytics/*/*', () => {})
    await page.getByLabel('Aggregation').selectOption('max')
    await eventually(() => panel('main').getAttribute('aria-busy')).toBe('true')
    expect(await panel('main').locator('canvas').count()).toBe(1)
  })

  test('copies without a clipboard API, and explains what to do if that fails', async () => {
    await show(page, checkPath)
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    await page.getByRole('button', { name: 'Export Runs' }).click()
    const dialog = page.getByRole('dialog')
    const text = (await dialog.locator('pre').textContent()) ?? ''
    const copy = dialog.getByRole('button', { name: 'Copy: For a shell' })
    await copy.click()
    await dialog.getByText('Copied').waitFor()
    await page.evaluate("document.querySelector('dialog').append(document.createElement('textarea'))")
    await dialog.locator('textarea').press('ControlOrMeta+v')
    await eventually(() => dialog.locator('textarea').inputValue()).toBe(text)
    await page.evaluate('document.execCommand = () => false')
    await copy.click()
    await dialog.getByText('The text is selected').waitFor()
    expect(await page.evaluate('String(getSelection())')).toBe(text)
    await page.reload()
  })

  test('zooms into a chart with a sideways swipe', async () => {
    await resize(page, { width: 360, height: 800 })
    await show(page, checkPath)
    const over = panel('main').locator('.u-over')
    const scrolled = () => over.scrollIntoViewIfNeeded().then(() => true)
    await eventually(() => scrolled().catch(() => false)).toBe(true)
    const box = await boxOf(over)
    const finger = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) => {
      const touchPoints = type === 'touchEnd' ? [] : [{ x: box.x + box.width * share, y: box.y + 50 }]
      return finger.send('Input.dispatchTouchEvent', { type, touchPoints })
    }
    await touch('touchStart', 0.5)
    for (const share of [0.55, 0.6, 0.7, 0.8]) await touch('touchMove', share)
    await touch('touchEnd', 0.8)
    await eventually(() => page.url()).toMatch(/from=.*to=/)
    await finger.detach()
  })

  test('shows times in the zone of the reader, with UTC on hover', async () => {
    await show(page, checkPath)
    const time = panel('runs').locator('time').first()
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  test('labels the columns of numbers', async () => {
    await show(page, `${checkPath}?aggregation=p95`)
    await panel('main').getByRole('button', { name: 'Table' }).click()
    const heads = panel('main').getByRole('columnheader')
    await eventually(() => heads.allTextContents()).toEqual([expect.stringMatching(/^Period, \S+$/), 'Response time, p95'])
    await panel('main').getByRole('button', { name: 'Table' }).click()
  })

  test('draws values with gaps around them', async () => {
    const [from, to] = [2, 1].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString())
    await show(page, `${checkPath}?from=${from}&to=${to}&aggregationInterval=1&groupBy=runLocation&metric=responseTime`)
    await panel('main').getByRole('button', { name: 'eu-west-1' }).waitFor()
    await eventually(() => pixelsOf(page, 'main', 'series-1')).toBeGreaterThan(100)
  })

  test('fits the badge of every check on a narrow screen', async () => {
    await resize(page, { width: 360, height: 800 })
    for (const { id, name } of server.checks) {
      await show(page, `/checks/${id}/badge?metric=availability&style=for-the-badge`)
      await page.getByLabel('Up').getByRole('link', { name, exact: true }).waitFor()
      await page.locator('.badge-preview img').first().waitFor()
      const rights = await page
        .locator('main :is(select, input, button, img, pre)')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right))
      expect(Math.max(...rights)).toBeLessThanOrEqual(360 - 12)
    }
  })

  test('shows that figures could not be loaded, and stops loading', async () => {
    await failing('**/v1/analytics/**')
    await page.goto(server.origin)
    await page.getByRole('alert').getByText('It broke.').waitFor()
    expect(await page.locator('.checks td.number').first().textContent()).toBe('–')
    await show(page, checkPath)
    await page.getByRole('alert').first().waitFor()
    await eventually(() => page.locator('.tile dd').first().textContent()).toBe('–')
    await settled(page)
    await panel('locations').scrollIntoViewIfNeeded()
    await panel('locations').getByRole('alert').waitFor()
    await page.unrouteAll()
    await panel('main').getByRole('button', { name: 'Try again' }).click()
    await panel('main').locator('canvas').waitFor()
    await page.locator('.tiles').getByRole('button', { name: 'Try again' }).click()
    await eventually(() => page.locator('.tile dd').first().textContent()).toMatch(/%$/)
    for (const name of ['failures', 'locations', 'outages']) {
      await panel(name).getByRole('button', { name: 'Try again' }).click()
      await panel(name).getByRole('alert').waitFor({ state: 'detached' })
    }
  })

  test.each(['/overview', '/wall', '/locations', '/slos', `/checks/{id}/runs/any`])('offers to retry on %s', async (view) => {
    await failing('**/v1/**')
    await page.goto(server.origin + view.replace('{id}', server.checks[0]?.id ?? ''))
    await page.getByText('It broke.').first().waitFor()
    await page.unrouteAll()
    await eventually(async () => {
      if ((await page.getByText('It broke.').count()) > 0) await page.getByRole('button', { name: 'Try again' }).first().click()
      return page.getByText('It broke.').count()
    }).toBe(0)
  })

  test.each(['/v1/check-types', '/v1/checks/', '/v1/check-statuses', '/v1/maintenance'])(
    'shows a check and its badge once %s works again',
    async (broken) => {
      for (const view of ['', '/badge']) {
        await failing(`**${broken}**`)
        await page.goto(server.origin + checkPath + view)
        const shown = page.getByRole('heading', { level: 1 })
        await page.getByRole('button', { name: 'Try again' }).or(shown).first().waitFor()
        await eventually(() => page.locator('main > .skeleton').count()).toBe(0)
        await page.unrouteAll()
        if (!(await shown.isVisible())) await page.getByRole('button', { name: 'Try again' }).click()
        await shown.waitFor()
      }
    },
  )
})
