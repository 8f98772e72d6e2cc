// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../../src/time.ts'
import { testSlo } from '../support/catalogue.ts'
import { eventually, expectAccessible, expectQuiet, inSteps, narrow, openReader, type Reader, show, stopAtFailure } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const checks = oneOfEach()
const [check] = checks
const slos = [
  testSlo('all', { name: 'Everything works' }),
  testSlo('soon', { name: 'Not yet', tags: ['no check has this'] }),
  testSlo('fast', {
    name: 'Fast enough',
    objective: { kind: 'latency', by: 'runs', target: 50, metric: 'duration', thresholdMs: 1 },
  }),
]
const at = (hours: number) => Date.now() + hours * hourMs
const maintenance = [
  { name: 'Database move', from: at(-3), to: at(1), checks: [check?.id ?? ''], tags: [] },
  { name: 'New cables', from: at(24), to: at(25), checks: [], tags: [] },
]

describe('SLOs and maintenance on the page', inSteps, () => {
  let server: PageServer
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 1, policies: { slos, maintenance } })
  })
  afterAll(() => server?.close())

  describe.each([narrow])('at $width px, $scheme', (look) => {
    let reader: Reader
    let page: Page
    beforeAll(async () => {
      reader = await openReader(server.origin, look)
      page = reader.page
    })
    stopAtFailure()

    const tile = (label: string) => page.locator('.tile', { hasText: label }).locator('dd')

    test('the list shows every SLO with its remaining budget', async () => {
      await page.getByRole('link', { name: 'SLOs', exact: true }).click()
      await page.getByRole('heading', { name: 'SLOs', level: 1 }).waitFor()
      expect(await page.locator('.slo h2').allTextContents()).toEqual(slos.map(({ name }) => name))
      expect(await page.locator('.slo .state').allTextContents()).toEqual([
        expect.stringMatching(/met|missed|burning/),
        'no data',
        'missed',
      ])
      await page
        .getByRole('img', { name: /(runs? left|over budget by .* runs?), of .* runs?/ })
        .first()
        .waitFor()
      await expectAccessible(page)
    })

    test('an SLO shows its burn-down, its burn rates and its checks', async () => {
      await page.getByRole('link', { name: 'Everything works' }).click()
      await page.getByRole('heading', { name: 'Everything works', level: 1 }).waitFor()
      await page.locator('[data-panel="burn-down"] canvas').waitFor()
      expect(await tile('Target').textContent()).toBe('99 %')
      for (const period of ['1h', '6h', '24h', '3d']) expect(await tile(`Burn rate ${period}`).textContent()).toMatch(/^[\d.,]+×$/)
      const listed = page.locator('[data-panel="checks"] li')
      await eventually(() => listed.count()).toBe(checks.length)
      for (const { name } of checks) expect(await listed.getByRole('link', { name, exact: true }).count()).toBe(1)
      await eventually(() => listed.locator('.state').count()).toBe(checks.length)
      await expectAccessible(page)
    })

    test('moving the target shows the effect, at its own URL', async () => {
      const slider = page.getByRole('slider', { name: 'What if the target were' })
      await slider.focus()
      await slider.press('End')
      await eventually(() => tile('Target').textContent()).toBe('99.999 %')
      expect(page.url()).toContain('/slos/all?target=99.999')
      expect(await slider.getAttribute('aria-valuetext')).toBe('99.999 %')
      // Reads the response that the page got: results leave the window as time passes.
      const answered = page.waitForResponse((response) => response.url().endsWith('/v1/slos/all?target=90.5'))
      await page.getByLabel('Target in percent').fill('90.5')
      await eventually(() => tile('Target').textContent()).toBe('90.5 %')
      const { budget } = (await (await answered).json()) as { budget: { total: number } }
      await eventually(() => page.locator('.tile dt').allTextContents()).toContain(
        `Budget left of ${Math.floor(budget.total).toLocaleString('en-US')} runs`,
      )
      await page.reload()
      await eventually(() => tile('Target').textContent()).toBe('90.5 %')
      await page.getByRole('link', { name: 'As configured' }).click()
      await eventually(() => tile('Target').textContent()).toBe('99 %')
    })

    test('dragging the target shows the effect', async () => {
      const box = await page.getByRole('slider', { name: 'What if the target were' }).boundingBox()
      if (box === null) throw new Error('The slider is not shown.')
      const middle = box.y + box.height / 2
      await page.mouse.move(box.x + box.width * 0.4, middle)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width * 0.9, middle, { steps: 6 })
      await page.mouse.up()
      await eventually(() => page.url()).toMatch(/target=99\.99/)
      await eventually(() => tile('Target').textContent()).toMatch(/^99\.99/)
    })

    test('time can be counted instead of runs', async () => {
      await page.getByRole('button', { name: 'by time' }).click()
      await eventually(() => page.url()).toMatch(/target=99\.99.*&by=time/)
      await eventually(() =>
        page
          .locator('.tile', { hasText: /budget/i })
          .locator('dd')
          .textContent(),
      ).toMatch(/ (ms|s|min|h|days)$/)
      await eventually(() => page.getByRole('button', { name: 'by time' }).getAttribute('aria-pressed')).toBe('true')
    })

    test('an SLO that counts nothing says so', async () => {
      await show(page, `/slos/soon`)
      await page.getByText('No data in this window yet.').waitFor()
      await page.getByText('No check matches this SLO yet.').waitFor()
      await expectAccessible(page)
    })

    test('a check shows its current and planned maintenance, also in its charts', async () => {
      await show(page, `/checks/${check?.id}`)
      await page.getByText('In maintenance: Database move').waitFor()
      await page.getByText('Maintenance planned: New cables').waitFor()
      const main = page.locator('[data-panel="main"]')
      await main.locator('.legend-zone', { hasText: 'Database move' }).waitFor()
      await eventually(() => main.getByRole('slider').getAttribute('aria-valuetext')).toContain('maintenance: Database move')
    })

    test('there was no console error and no request to another origin', () => expectQuiet(reader, server.origin))
  })

  test('an unknown SLO links to the list', async () => {
    const { page } = await openReader(server.origin)
    await show(page, `/slos/nobody`)
    await page.getByRole('alert').getByText('There is no such SLO').waitFor()
    await page.getByRole('link', { name: 'All SLOs of this account' }).click()
    await page.getByRole('heading', { name: 'SLOs', level: 1 }).waitFor()
  })

  test('maintenance is shaded, except that of other checks', async () => {
    const { page } = await openReader(server.origin)
    const from = new Date(at(-3) - 2 * hourMs).toISOString()
    const shaded = async (id: string) => {
      await show(page, `/checks/${id}?from=${from}&to=${new Date(at(0)).toISOString()}`)
      await page.locator('[data-panel="main"] canvas').waitFor()
      await page.getByText('Maintenance planned: New cables').waitFor()
      return page.locator('[data-panel="main"] .legend-zone', { hasText: 'Database move' }).count()
    }
    expect(await shaded(check?.id ?? '')).toBe(1)
    expect(await shaded(checks[1]?.id ?? '')).toBe(0)
  })
})
