import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { account, readKey } from '../support/catalogue.ts'

export type Look = { readonly width: number; readonly scheme: 'light' | 'dark' }

/** A browser page that records console errors and requests. */
export type Reader = {
  readonly page: Page
  readonly consoleErrors: string[]
  readonly requests: string[]
  close(): Promise<void>
}

export async function openReader(browser: Browser, origin: string, { width, scheme }: Look): Promise<Reader> {
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme: scheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const page = await context.newPage()
  const consoleErrors: string[] = []
  const requests: string[] = []
  page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
  page.on('pageerror', (error) => consoleErrors.push(String(error)))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(origin)
  return { page, consoleErrors, requests, close: () => context.close() }
}

export async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Account').fill(account)
  await page.getByLabel('API key').fill(readKey)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Checks' }).waitFor()
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

/** No console error, and no request to another origin. */
export function expectQuiet({ consoleErrors, requests }: Reader, origin: string): void {
  expect(consoleErrors).toEqual([])
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('blob:') && !url.startsWith('data:'))).toEqual([])
}

/** No accessibility violation of any impact, and nothing wider than the screen. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(await axe)
  const result = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
  const { violations } = result as { violations: { id: string; nodes: { html: string }[] }[] }
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The text that the button with this label copies. */
export async function copied(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: `Copy: ${label}` }).click()
  await page.getByText('Copied').waitFor()
  return page.evaluate('navigator.clipboard.readText()')
}

/** The element of a chart, once it is drawn. */
export async function boxOf(chart: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await chart.boundingBox()
  return box ?? boxOf(chart)
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
