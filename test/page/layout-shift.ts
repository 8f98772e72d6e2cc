import type { Page } from 'playwright-core'

/** How much the view has shifted since it was loaded, as browsers score it. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    let sum = 0
    const add = (entries) => entries.forEach(({ hadRecentInput, value }) => { if (!hadRecentInput) sum += value })
    new PerformanceObserver((list) => add(list.getEntries())).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(sum), 200)
  })`)
}
