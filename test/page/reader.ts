import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect } from 'vitest'
import { account, readKey } from '../support/catalogue.ts'
import { chromiumMissing, sharedChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'

/** Options of suites in a browser, with a timeout for busy machines. */
export const inChromium = { ...needing(await chromiumMissing()), timeout: 90_000 }
/** For suites whose tests are steps that depend on each other, so that a failed one is not retried. */
export const inSteps = { ...inChromium, retry: 0 }
export const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read)

export type Look = {
  readonly width: number
  readonly scheme: 'light' | 'dark'
  /** The time zone of the reader's computer; UTC by default. */
  readonly timezoneId?: string
}

export const wide: Look = { width: 1280, scheme: 'light' }
export const narrow: Look = { width: 360, scheme: 'dark' }
/** For quick checks; a journey is tested in one of them only. `every-view` has the other combinations. */
export const looks: readonly Look[] = [wide, narrow]

/** A browser page that records console errors and requests. */
export type Reader = {
  readonly page: Page
  readonly consoleErrors: string[]
  readonly requests: string[]
}

/** Opens a URL as a signed-in reader; the page is closed with its server. */
export function openReader(url: string, look: Look = wide): Promise<Reader> {
  return openPage(url, look, `sessionStorage.setItem('tidemark', '${JSON.stringify({ key: readKey, account })}')`)
}

/** Opens a URL as a reader who has to sign in. */
export function openVisitor(url: string, look: Look = wide): Promise<Reader> {
  return openPage(url, look, '')
}

async function openPage(url: string, { width, scheme, timezoneId = 'UTC' }: Look, initScript: string): Promise<Reader> {
  const browser = await sharedChromium()
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    timezoneId,
    // Animations while loading would be redrawn all the time, on the CPU.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript(initScript)
  const page = await context.newPage()
  const consoleErrors: string[] = []
  const requests: string[] = []
  page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  page.on('pageerror', (error) => consoleErrors.push(String(error)))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(url)
  return { page, consoleErrors, requests }
}

/** Navigates to a view like the links of the page, without a reload; the current view is restarted. */
export async function show(page: Page, path: string): Promise<void> {
  const go = (way: string, to: string) => `history.${way}(null, '', ${JSON.stringify(to)}); dispatchEvent(new Event('popstate'))`
  const isRendered = 'await new Promise((done) => setTimeout(done))'
  await page.evaluate(`(async () => { ${go('pushState', '/nowhere')}; ${isRendered}; ${go('replaceState', path)}; scrollTo(0, 0) })()`)
}

/** Waits until nothing in the view is loading. */
export async function settled(page: Page): Promise<void> {
  await eventually(() => page.locator('main [aria-busy=true], main .skeleton').count()).toBe(0)
}

/** Resolves once everything that depends on the window size is rendered. */
export async function resize(page: Page, size: { readonly width: number; readonly height: number }): Promise<void> {
  await page.setViewportSize(size)
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))')
}

/** Skips the rest of a suite after a failed step. */
export function stopAtFailure(): void {
  let lost = false
  beforeEach(({ skip, onTestFailed }) => {
    if (lost) skip('An earlier step failed.')
    onTestFailed(() => {
      lost = true
    })
  })
}

/** Closes everything that is open in the browser. */
export async function closeReaders(): Promise<void> {
  if (inChromium.skip) return
  for (const context of (await sharedChromium()).contexts()) await context.close()
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Account').fill(account)
  await page.getByLabel('API key').fill(readKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Opens the window picker, and chooses one of its presets. */
export async function pickWindow(page: Page, preset: string): Promise<void> {
  const picker = await openWindowPicker(page)
  await picker.getByRole('button', { name: preset, exact: true }).click()
}

export async function openWindowPicker(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: /^Window / }).click()
  return page.getByRole('dialog', { name: 'Window' })
}

/** There was no console error except for intentionally missing parts, and no request to another origin. */
export function expectQuiet({ consoleErrors, requests }: Reader, origin: string, missing?: 'with missing parts'): void {
  expect(consoleErrors.filter((text) => missing === undefined || !text.includes('status of 404'))).toEqual([])
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('blob:') && !url.startsWith('data:'))).toEqual([])
}

/**
 * No accessibility violations of any impact in the page, or in a part of it if the rest is tested elsewhere, and nothing wider than the
 * screen. Of repeated elements, only the first is checked.
 */
export function expectAccessible(where: Page | Locator): Promise<void> {
  return expectNoViolation(where, { rules: { 'target-size': { enabled: true } } })
}

/** The same for a view that was already checked in another look: names, roles and structure do not depend on the look. */
export function expectAccessibleLook(where: Page | Locator): Promise<void> {
  return expectNoViolation(where, { runOnly: ['color-contrast', 'target-size', 'scrollable-region-focusable'] })
}

/** The same for a view that was already checked with other content: colours and sizes do not depend on the content. */
export function expectAccessibleContent(where: Page | Locator): Promise<void> {
  return expectNoViolation(where, { rules: { 'color-contrast': { enabled: false } } })
}

async function expectNoViolation(where: Page | Locator, options: object): Promise<void> {
  const [page, part] = 'page' in where ? [where.page(), where] : [where, where.locator(':root')]
  // A view is empty until its code is loaded.
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  if ((await page.evaluate('typeof runAxe')) === 'undefined') await page.evaluate(`${await axe}; ${runAxe}`)
  const given = { repeated, options: { ...options, resultTypes: ['violations'], preload: false } }
  const { violations } = await part.evaluate((element, given) => (globalThis as unknown as WithAxe).runAxe(element, given), given)
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  await expectFits(page)
}

/** Nothing is wider than the screen. */
export async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate(beyondTheEdge)).toEqual([])
}

type WithAxe = { runAxe(part: unknown, given: object): Promise<AxeResult> }
type AxeResult = { readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[] }

const repeated = [
  'tbody tr:nth-child(n + 10)',
  ':is([data-panel], .reference) tbody tr:nth-child(n + 4)',
  '[data-panel="hour-week"] td:nth-child(n + 12)',
  'option:nth-child(n + 10)',
  '.day-cells li:nth-child(n + 10)',
  '.reference section:nth-of-type(n + 4)',
  '.endpoints li:nth-child(n + 4)',
].join()

/**
 * Runs in the page. Axe builds its own tree of the elements before it returns: elements left out of it cost no time, but each element
 * that it is told to exclude is compared with all others.
 */
const runAxe = `function runAxe(part, { repeated, options }) {
  const left = new Set(document.querySelectorAll(repeated))
  const isKept = (node) => !left.has(node) && (part.contains(node) || node.contains(part))
  const childNodes = Object.getOwnPropertyDescriptor(Node.prototype, 'childNodes')
  const get = function () {
    return [...childNodes.get.call(this)].filter(isKept)
  }
  Object.defineProperty(Node.prototype, 'childNodes', { ...childNodes, get })
  try {
    return axe.run(part, options)
  } finally {
    Object.defineProperty(Node.prototype, 'childNodes', childNodes)
  }
}`

/** If the page is wider than its window: the innermost elements that extend beyond its right edge. */
const beyondTheEdge = `(({ scrollWidth, clientWidth }) => {
  if (scrollWidth <= clientWidth) return []
  // A positioned element is not clipped by a scrolling parent unless that is positioned, too.
  const holderOf = (element) => (getComputedStyle(element).position === 'absolute' ? element.offsetParent : element.parentElement)
  const isCut = (element) => {
    const holder = holderOf(element)
    return holder !== null && (getComputedStyle(holder).overflowX !== 'visible' || isCut(holder))
  }
  const isBeyond = (element) => element.getBoundingClientRect().right > clientWidth && !isCut(element)
  const all = [...document.body.querySelectorAll('*')].filter((element) => isBeyond(element) && ![...element.children].some(isBeyond))
  return [scrollWidth, ...all.map(({ outerHTML }) => outerHTML.slice(0, 200))]
})(document.documentElement)`

/** The same at the width and in the colours of each look, and then back again. */
export async function expectAccessibleInLooks(where: Page | Locator): Promise<void> {
  const page = 'page' in where ? where.page() : where
  await lookAt(page, narrow)
  await expectAccessible(where)
  await lookAt(page, wide)
  await expectAccessibleLook(where)
}

/** Switches the page to the width and the colours of another look. */
export async function lookAt(page: Page, { width, scheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme })
  await resize(page, { width, height: 800 })
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The text that the button with this label copies. */
export async function copied(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: `Copy: ${label}` }).click()
  await page.getByText('Copied').waitFor()
  return page.evaluate('navigator.clipboard.readText()')
}

/** The bounding box of a chart, once it is drawn. */
export async function boxOf(chart: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await chart.boundingBox()
  return box ?? boxOf(chart)
}

/** The computed style of an element. */
export function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate((one, name) => one.ownerDocument.defaultView?.getComputedStyle(one).getPropertyValue(name) ?? '', property)
}

/** How many pixels of a panel's chart have a colour of the style sheet, such as `series-1`. */
export function pixelsOf(page: Page, panel: string, colour: string): Promise<number> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector('[data-panel="${panel}"] canvas')
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--${colour}').trim()
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4) if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count++
    return count
  })()`)
}
