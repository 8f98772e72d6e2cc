// @slow
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chromiumMissing, launchChromium } from '../support/chromium.ts'
import { needing } from '../support/needs.ts'
import { copied, expectQuiet, openReader } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const options = needing(await chromiumMissing())
const base = '/tidemark'

let browser: Browser
let server: PageServer

beforeAll(async () => {
  server = await startPageServer({ days: 1, basePath: base })
  if (!options.skip) browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

test('the page below a base path refers to its files there', async () => {
  const html = await (await fetch(`${server.origin}${base}/checks/any-id`)).text()
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const path of files) {
    expect(path).toMatch(/^\/tidemark\//)
    expect((await fetch(server.origin + path)).status).toBe(200)
  }
})

test('its one-time link signs in, its links stay below the path, and its snippets name it', options, async () => {
  const reader = await openReader(browser, `${server.origin}${base}/#code=${server.code}`, { width: 1280, scheme: 'light' })
  const { page, requests } = reader
  const [check] = server.checks
  await page.getByRole('link', { name: check?.name ?? '', exact: true }).click()
  await page.getByRole('link', { name: 'Badge' }).click()
  await expect.poll(() => page.url()).toBe(`${server.origin}${base}/checks/${check?.id}/badge`)
  expect(await copied(page, 'Markdown')).toContain(`${server.origin}${base}/v1/badges/checks/${check?.id}`)
  await page.reload()
  await page.getByRole('heading', { name: 'Badge' }).waitFor()
  expect(requests.filter((url) => url.startsWith(server.origin) && !url.startsWith(`${server.origin}${base}/`))).toEqual([])
  expectQuiet(reader, server.origin)
  await reader.close()
})
