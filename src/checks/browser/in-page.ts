import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { blockingTime, type Task } from './blocking-time.ts'

/** By this name a page calls us. */
export const bindingName = '__tidemarkPage'

/** The script that runs in every document before its own: web-vitals, kept from the page's sight, and what tells us its findings. */
export function inPageScript(): string {
  const library = readFileSync(createRequire(import.meta.url).resolve('web-vitals'), 'utf8')
  return `(() => { const module = {}, exports = {};\n${library}\n;(${reportVitals})(globalThis, exports, ${blockingTime}, ${JSON.stringify(bindingName)}) })()`
}

type Vital = { readonly value: number }
type OnVital = (tell: (vital: Vital) => void, options: { readonly reportAllChanges: true }) => void
type Vitals = { readonly onFCP: OnVital; readonly onLCP: OnVital; readonly onCLS: OnVital }
type Entry = { readonly startTime: number; readonly duration: number; readonly responseStart: number; readonly loadEventEnd: number }
type Page = {
  readonly top: unknown
  readonly location: { readonly href: string }
  readonly performance: { readonly timeOrigin: number; readonly getEntriesByType: (type: string) => readonly Entry[] }
  readonly PerformanceObserver: new (
    seen: (list: { readonly getEntries: () => readonly Entry[] }) => void,
  ) => { readonly observe: (options: { readonly type: string; readonly buffered: true }) => void }
  readonly addEventListener: (type: string, listener: () => void) => void
  readonly setTimeout: (call: () => void, ms: number) => void
}

/** Tells of the document at its start and after every change, since nobody can ask a page that has been left. */
function reportVitals(page: Page, vitals: Vitals, blocking: typeof blockingTime, binding: string): void {
  if (page !== page.top || !/^https?:/.test(page.location.href)) return
  const id = `${page.performance.timeOrigin}-${Math.random()}`
  const pageUrl = page.location.href
  const found: Record<string, number> = {}
  const tasks: Task[] = []
  const tell = () => {
    const [navigation] = page.performance.getEntriesByType('navigation')
    const TTFB = navigation?.responseStart
    const TBT = found.FCP === undefined ? undefined : blocking(tasks, found.FCP, navigation?.loadEventEnd ?? 0)
    const call = (page as unknown as Record<string, ((text: string) => unknown) | undefined>)[binding]
    call?.(JSON.stringify({ id, pageUrl, TTFB, TBT, ...found }))
  }
  const keep = (name: string) => (vital: Vital) => {
    found[name] = vital.value
    tell()
  }
  tell()
  vitals.onFCP(keep('FCP'), { reportAllChanges: true })
  vitals.onLCP(keep('LCP'), { reportAllChanges: true })
  vitals.onCLS(keep('CLS'), { reportAllChanges: true })
  new page.PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) tasks.push({ start: startTime, duration })
    tell()
  }).observe({ type: 'longtask', buffered: true })
  page.addEventListener('load', () => page.setTimeout(tell, 0))
}
