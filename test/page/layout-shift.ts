import type { Page } from 'playwright-core'
import { expect } from 'vitest'

type Shift = { readonly at: number; readonly value: number; readonly of: readonly string[] }

/**
 * There were no layout shifts since the page was loaded, or since that time of its clock, except those that browsers score as hardly
 * visible.
 */
export async function expectStill(page: Page, since = 0): Promise<void> {
  const all = (await page.evaluate(readShifts)) as readonly Shift[]
  const shifts = all.filter(({ at }) => at >= since)
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(0.02)
}

/** Runs in the page, after the next frame. */
const readShifts = `new Promise((resolve) => {
  const read = () => {
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    const shifts = observer.takeRecords().filter(({ hadRecentInput }) => !hadRecentInput)
    resolve(shifts.map(({ startTime, value, sources }) => ({ at: startTime, value, of: sources.map(({ node }) => node?.className || node?.nodeName) })))
  }
  requestAnimationFrame(() => requestAnimationFrame(read))
})`
