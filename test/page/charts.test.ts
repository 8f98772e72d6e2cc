// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/time.ts'
import { measured, testResult } from '../support/results.ts'
import { boxOf, eventually, expectAccessible, expectQuiet, inChromium, openReader, pixelsOf, type Reader, show } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const checks = oneOfEach()
const [check, sparse] = checks.filter(({ checkType }) => checkType.phases.length > 0 && checkType.fields.includes('statusCode'))
if (check === undefined || sparse === undefined) throw new Error('Two check types have phases and status codes.')

const hours = 12
const from = Math.floor(Date.now() / hourMs) * hourMs - 24 * hourMs
const to = from + hours * hourMs
const every = 5 * minuteMs
const failedHour = 3

/** A run every five minutes; in one hour, one of twelve fails. */
const results = Array.from({ length: (hours * hourMs) / every }, (_, index) => {
  const startedAt = from + index * every
  return testResult(check, startedAt, { hasFailures: startedAt === from + failedHour * hourMs })
})

/** Runs in two separate hours, with the given numbers of locations and status codes. */
const apart = (counts: { readonly locations: number; readonly codes: number }) =>
  [0, 5].flatMap((hour) =>
    Array.from({ length: Math.max(counts.locations, counts.codes) }, (_, index) => {
      const startedAt = from + hour * hourMs + index * minuteMs
      const values = { ...measured(sparse, startedAt), statusCode: 200 + (index % counts.codes) }
      return testResult(sparse, startedAt, { runLocation: `place-${index % counts.locations}`, values })
    }),
  )

describe('charts', inChromium, () => {
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0 })
    await server.store.append([...results, ...apart({ locations: 14, codes: 9 })])
    reader = await openReader(server.origin)
    page = reader.page
  })
  afterAll(() => server?.close())

  const panel = (name: string) => page.locator(`[data-panel="${name}"]`)
  const open = async (query = '', { id } = check) => {
    const ends = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`
    await show(page, `/checks/${id}?${ends}&aggregationInterval=60${query}`)
    await panel('main').locator('canvas').waitFor()
    await panel('availability').locator('canvas').waitFor()
  }
  const pixels = (name: string, colour: string) => pixelsOf(page, name, colour)

  test('the legend can hide each line separately', async () => {
    await open()
    for (const label of ['p99', 'p95', 'p90', 'p50']) {
      const others = ['p99', 'p95', 'p90', 'p50'].filter((other) => other !== label)
      const button = panel('main').getByRole('button', { name: label, exact: true })
      await button.click()
      await eventually(() => pixels('main', `band-${label}`)).toBeLessThan(20)
      for (const other of others) await eventually(() => pixels('main', `band-${other}`)).toBeGreaterThan(20)
      await button.click()
    }
    expectQuiet(reader, server.origin)
  })

  test('hidden lines and tables are part of the URL, so that they survive a reload and can be shared', async () => {
    await open()
    await panel('main').getByRole('button', { name: 'p99', exact: true }).click()
    await panel('availability').getByRole('button', { name: 'Table' }).click()
    await panel('availability').locator('table').waitFor()
    expect(new URL(page.url()).searchParams.get('hidden')).toBe('main:p99')
    expect(new URL(page.url()).searchParams.get('table')).toBe('availability')
    await page.reload()
    await panel('availability').locator('table').waitFor()
    const button = panel('main').getByRole('button', { name: 'p99', exact: true })
    await eventually(() => button.getAttribute('aria-pressed')).toBe('false')
    await button.click()
    await panel('availability').getByRole('button', { name: 'Table' }).click()
    await eventually(() => new URL(page.url()).searchParams.has('hidden') || new URL(page.url()).searchParams.has('table')).toBe(false)
  })

  test('hiding passed runs leaves only the share of failed ones', async () => {
    await open()
    await eventually(() => pixels('availability', 'passing-soft')).toBeGreaterThan(1000)
    const failed = await pixels('availability', 'failing')
    expect(failed).toBeGreaterThan(20)
    await panel('availability').locator('.legend button').last().click()
    await eventually(() => pixels('availability', 'passing-soft')).toBe(0)
    expect(await pixels('availability', 'failing')).toBeLessThan(hours * failed)
  })

  test('one failure in twelve runs is a twelfth of its bar', async () => {
    await open()
    await eventually(() => pixels('availability', 'failing')).toBeGreaterThan(20)
    const [failed, passed] = [await pixels('availability', 'failing'), await pixels('availability', 'passing-soft')]
    expect((failed / (failed + passed)) * results.length).toBeCloseTo(1, 0)
  })

  test('the readout shows the bucket under the pointer, in both halves of it', async () => {
    for (const name of ['main', 'availability']) {
      await open()
      const over = panel(name).locator('.u-over')
      await over.scrollIntoViewIfNeeded()
      const box = await boxOf(over)
      for (const [bucket, part] of [
        [2, 0.2],
        [2, 0.8],
        [hours - 1, 0.9],
      ] as const) {
        await page.mouse.move(box.x + (box.width * (bucket + part)) / hours, box.y + box.height / 2)
        await eventually(() => panel(name).getByRole('slider').inputValue()).toBe(String(bucket))
      }
    }
  })

  test('the arrow keys reach every bucket', async () => {
    await open()
    const slider = panel('main').getByRole('slider')
    await slider.focus()
    for (let bucket = hours - 1; bucket > 0; bucket--) {
      expect(await slider.inputValue()).toBe(String(bucket))
      await slider.press('ArrowLeft')
      await eventually(() => slider.inputValue()).toBe(String(bucket - 1))
    }
  })

  test('a bucket with empty ones on both sides is drawn in a stack', async () => {
    await open('', sparse)
    await panel('phases').scrollIntoViewIfNeeded()
    await panel('phases').locator('canvas').waitFor()
    for (const colour of ['series-1', 'series-2', 'series-3']) await eventually(() => pixels('phases', colour)).toBeGreaterThan(20)
  })

  test('more groups than colour and dash can distinguish are listed in a table', async () => {
    await open('&groupBy=runLocation', sparse)
    const table = panel('main').getByRole('region', { name: 'every group' })
    expect(await table.locator('tbody tr').count()).toBe(14)
    expect(await panel('main').locator('.legend button').count()).toBe(12)
    const looks = await panel('main')
      .locator('.legend .swatch')
      .evaluateAll((all) => all.map((swatch) => swatch.className))
    expect(new Set(looks).size).toBe(12)
    await expectAccessible(panel('main'))
  })

  test('grouped by status code, the runs are counted and stacked', async () => {
    await open('&groupBy=statusCode', sparse)
    const runs = panel('availability')
    await runs.getByRole('heading', { name: 'Runs' }).waitFor()
    await runs.getByText('by status code, stacked').waitFor()
    const slider = runs.getByRole('slider')
    await slider.focus()
    await eventually(() => slider.getAttribute('aria-valuetext')).toMatch(/200 2, 201 2, 202 2, 203 2, 204 2, 205 1, 206 1, 207 1, 208 1$/)
    for (const colour of ['series-1', 'series-6']) await eventually(() => pixels('availability', colour)).toBeGreaterThan(20)
  })

  test('a truncated axis is labelled as such', async () => {
    await open('&groupBy=runLocation')
    await panel('availability').getByText('axis cut: it starts at 90 %').waitFor()
    expect(await panel('availability').locator('header .note').textContent()).toBe('of each group, by runs')
  })

  test('no availability is shown for failed runs only', async () => {
    await open('&filterByStatus=failure')
    await eventually(() => page.locator('.tile', { hasText: 'Runs: failure' }).locator('dd').first().textContent()).toBe('1')
    expect(await page.getByText('Availability').and(page.locator('main :not(option, [data-panel="locations"] *)')).count()).toBe(0)
  })

  test('tables show readable figures in the zone of the page, and exact ones on hover', async () => {
    await open('&aggregation=p95')
    await panel('main').getByRole('button', { name: 'Table' }).click()
    const cells = panel('main').locator('tbody tr').first().locator('td')
    expect(await cells.nth(0).textContent()).toMatch(/^\w+ \d+,? \d\d:\d\d$/)
    expect(await cells.nth(0).getAttribute('title')).toBe(new Date(from).toISOString())
    expect(await cells.nth(1).textContent()).toMatch(/^[\d.]+ ms$/)
    expect(await cells.nth(1).getAttribute('title')).toMatch(/^[\d.]+$/)
  })
})
