// @slow ci
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Check } from '../../src/catalogue/catalogue.ts'
import { minuteMs } from '../../src/time.ts'
import { measured, testResult } from '../support/results.ts'
import { boxOf, eventually, expectAccessible, inChromium, openReader, resize, settled, show } from './reader.ts'
import { oneOfEach, type PageServer, startPageServer } from './server.ts'

const checks = oneOfEach()
const paged = checks.find(({ checkType }) => Object.values(checkType.metrics).some(({ perPage }) => perPage)) as Check
const timed = checks.find(({ checkType }) => checkType.duration !== null && checkType.phases.length > 0) as Check
const minutes = Array.from({ length: 30 }, (_, i) => Date.now() - (i + 1) * 5 * minuteMs)

/** As in single-page applications. */
const longUrl = (index: number) =>
  `https://shop.example.test/${'department/of/lamps/and/lights/'.repeat(3)}${index}?session=${'0123456789abcdef'.repeat(4)}#/checkout`

const runsOfPages = minutes.map((at) => {
  const { check, result } = testResult(paged, at)
  return {
    check,
    result: {
      ...result,
      pages: [0, 1, 2, 3].flatMap((index) => result.pages.slice(0, 1).map((one) => ({ ...one, pageUrl: longUrl(index) }))),
    },
  }
})

const runsForAges = minutes.map((at) => {
  const values = Object.fromEntries(Object.keys(measured(timed, at)).map((name) => [name, 98_765_432_101_234]))
  return testResult(timed, at, { values })
})

describe('long names and huge values', inChromium, () => {
  let server: PageServer
  let page: Page
  beforeAll(async () => {
    server = await startPageServer({ checks: [paged, timed], days: 0 })
    await server.store.append([...runsOfPages, ...runsForAges])
    page = (await openReader(server.origin)).page
  })
  afterAll(() => server?.close())

  /** How many of these elements overlap another one, or extend beyond the box of their section. */
  const misplaced = (selector: string) =>
    page.locator(selector).evaluateAll((elements) => {
      const boxes = elements.map((element) => element.getBoundingClientRect())
      type Box = (typeof boxes)[number]
      const isOn = (one: Box, other: Box) =>
        one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1
      return elements.filter((element, index) => {
        const [own, section] = [boxes[index] as Box, element.closest('section')?.getBoundingClientRect()]
        const isBeyond = section !== undefined && (own.right > section.right + 1 || own.left < section.left - 1)
        return isBeyond || boxes.some((other, at) => at !== index && isOn(own, other))
      }).length
    })

  test.each([1280, 768, 360])('legends of pages with long URLs do not overlap at %i px', async (width) => {
    await resize(page, { width, height: 900 })
    await show(page, `/checks/${paged.id}`)
    const small = page.locator('.panels-small [data-panel]').first()
    await small.scrollIntoViewIfNeeded()
    await small.locator('canvas').waitFor()
    await eventually(() => small.locator('.legend button').count()).toBe(4)
    await page.mouse.move((await boxOf(small.locator('.u-over'))).x + 60, (await boxOf(small.locator('.u-over'))).y + 40)
    expect(await misplaced('.panels-small .legend button')).toBe(0)
    await expectAccessible(page.locator('.panels-small'))
  })

  test.each([1280, 360])('tiles with huge figures do not overlap, and axes keep their first digit at %i px', async (width) => {
    await resize(page, { width, height: 900 })
    await show(page, `/checks/${timed.id}`)
    await page.locator('[data-panel="main"] canvas').waitFor()
    await settled(page)
    expect(await misplaced('.tiles .tile')).toBe(0)
    const isCut = await page
      .locator('.tiles .tile dd')
      .evaluateAll((values) => values.filter((value) => value.scrollWidth > value.clientWidth + 1).length)
    expect(isCut).toBe(0)
    expect(await inkAtLeft(page)).toBe(0)
  })
})

/** How many pixels in the first column of a chart are painted: a truncated label touches it. */
function inkAtLeft(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('[data-panel="main"] canvas')
    const { data } = canvas.getContext('2d').getImageData(0, 0, 1, canvas.height)
    return data.filter((value, index) => index % 4 === 3 && value > 0).length
  })()`)
}
