import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { blockingTime, type Task } from './blocking-time.ts'

/** The function that is exposed to pages. */
export const bindingName = '__tidemarkPage'

/** The script that runs in every document before its own scripts: web-vitals in its own scope, and the code that reports its values. */
export function inPageScript(): string {
  const library = readFileSync(createRequire(import.meta.url).resolve('web-vitals'), 'utf8')
  return `(() => { const module = {}, exports = {};\n${library}\n;(${reportVitals})(globalThis, exports, ${blockingTime}, ${JSON.stringify(bindingName)}) })()`
}

type Vital = { readonly value: number }
type OnVital = (report: (vital: Vital) => void, options: { readonly reportAllChanges: true }) => void
type Vitals = { readonly onFCP: OnVital; readonly onLCP: OnVital; readonly onCLS: OnVital }
type Entry = { readonly startTime: number; readonly duration: number; readonly responseStart: number; readonly loadEventEnd: number }
type Page = {
  readonly top: unknown
  readonly location: { readonly href: string }
  readonly performance: { readonly timeOrigin: number; readonly getEntriesByType: (type: string) => readonly Entry[] }
  readonly PerformanceObserver: new (
    callback: (list: { readonly getEntries: () => readonly Entry[] }) => void,
  ) => { readonly observe: (options: { readonly type: string; readonly buffered: true }) => void }
  readonly addEventListener: (type: string, listener: () => void) => void
  readonly setTimeout: (call: () => void, ms: number) => void
}

/** Reports at document start and after every change, since a page cannot be queried after navigation. */
function reportVitals(page: Page, vitals: Vitals, blocking: typeof blockingTime, binding: string): void {
  if (page !== page.top || !/^https?:/.test(page.location.href)) return
  const id = `${page.performance.timeOrigin}-${Math.random()}`
  const pageUrl = page.location.href
  const values: Record<string, number> = {}
  const tasks: Task[] = []
  const report = () => {
    const [navigation] = page.performance.getEntriesByType('navigation')
    const TTFB = navigation?.responseStart
    const TBT = values.FCP === undefined ? undefined : blocking(tasks, values.FCP, navigation?.loadEventEnd ?? 0)
    const call = (page as unknown as Record<string, ((text: string) => unknown) | undefined>)[binding]
    call?.(JSON.stringify({ id, pageUrl, TTFB, TBT, ...values }))
  }
  const record = (name: string) => (vital: Vital) => {
    values[name] = vital.value
    report()
  }
  report()
  vitals.onFCP(record('FCP'), { reportAllChanges: true })
  vitals.onLCP(record('LCP'), { reportAllChanges: true })
  vitals.onCLS(record('CLS'), { reportAllChanges: true })
  new page.PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push({ start: startTime, duration })
    report()
  }).observe({ type: 'longtask', buffered: true })
  page.addEventListener('load', () => page.setTimeout(report, 0))
}
