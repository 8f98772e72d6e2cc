import type { Page } from 'playwright-core'
import { expect } from 'vitest'

type Shift = { readonly value: number; readonly of: readonly string[] }

/** Nothing has moved since the view was loaded, but for what browsers score as hardly visible. */
export async function expectStill(page: Page): Promise<void> {
  const shifts = (await page.evaluate(readShifts)) as readonly Shift[]
  const sum = shifts.reduce((total, { value }) => total + value, 0)
  expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(0.02)
}

/** Runs in the page, after the next frame. */
const readShifts = `new Promise((resolve) => {
  const read = () => {
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    const shifts = observer.takeRecords().filter(({ hadRecentInput }) => !hadRecentInput)
    resolve(shifts.map(({ value, sources }) => ({ value, of: sources.map(({ node }) => node?.className || node?.nodeName) })))
  }
  requestAnimationFrame(() => requestAnimationFrame(read))
})`
