// @slow
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../src/time.ts'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { testResult } from '../support/results.ts'
import { boxOf, expectQuiet, openReader, pixelsOf, type Reader, signIn } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const options = { ...needing(await chromiumMissing()), timeout: 60_000 }
const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 20_000 })

const checks = oneOfEach()
const [check] = checks.filter(({ checkType }) => checkType.phases.length > 0 && checkType.fields.length > 0)
if (check === undefined) throw new Error('No check type has phases and fields.')

const hours = 12
const from = Math.floor(Date.now() / hourMs) * hourMs - 24 * hourMs
const to = from + hours * hourMs
const every = 5 * minuteMs
const failedHour = 3

/** A run every five minutes; one of twelve fails in one hour. */
const results = Array.from({ length: (hours * hourMs) / every }, (_, index) => {
  const startedAt = from + index * every
  return testResult(check, startedAt, { hasFailures: startedAt === from + failedHour * hourMs })
})

describe('charts', options, () => {
  let browser: Browser
  let server: PageServer
  let reader: Reader
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks, days: 0 })
    await server.store.append(results)
    browser = await launchChromium()
    reader = await openReader(browser, server.origin, { width: 1280, scheme: 'light' })
    page = reader.page
    await signIn(page)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  const panel = (name: string) => page.locator(`[data-panel="${name}"]`)
  const open = async (query = '', window = { from, to }) => {
    const ends = `from=${new Date(window.from).toISOString()}&to=${new Date(window.to).toISOString()}`
    await page.goto(`${server.origin}/checks/${check.id}?${ends}&aggregationInterval=60${query}`)
    await panel('main').locator('canvas').waitFor()
    await panel('availability').locator('canvas').waitFor()
  }
  const pixels = (name: string, colour: string) => pixelsOf(page, name, colour)

  test('a legend hides any line, and no other one', async () => {
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

  test('hiding the runs that passed leaves only the share that failed', async () => {
    await open()
    await eventually(() => pixels('availability', 'passing-soft')).toBeGreaterThan(1000)
    const failed = await pixels('availability', 'failing')
    expect(failed).toBeGreaterThan(20)
    await panel('availability').locator('.legend button').last().click()
    await eventually(() => pixels('availability', 'passing-soft')).toBe(0)
    expect(await pixels('availability', 'failing')).toBeLessThan(hours * failed)
  })

  test('one failure in twelve is a twelfth of its bar', async () => {
    await open()
    await eventually(() => pixels('availability', 'failing')).toBeGreaterThan(20)
    const [failed, passed] = [await pixels('availability', 'failing'), await pixels('availability', 'passing-soft')]
    expect((failed / (failed + passed)) * results.length).toBeCloseTo(1, 0)
  })

  test('the readout is of the bucket under the pointer, in both halves of it', async () => {
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
})
