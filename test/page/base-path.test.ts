// @slow ci
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copied, expectQuiet, inChromium, openVisitor } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

const base = '/tidemark'

let server: PageServer

beforeAll(async () => {
  server = await startPageServer({ days: 1, basePath: base })
})
afterAll(() => server?.close())

test('a page under a base path loads its files from there', async () => {
  const html = await (await fetch(`${server.origin}${base}/checks/any-id`)).text()
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  expect(files.length).toBeGreaterThanOrEqual(3)
  for (const path of files) {
    expect(path).toMatch(/^\/tidemark\//)
    expect((await fetch(server.origin + path)).status).toBe(200)
  }
})

test('one-time links, page links and snippets include the base path', inChromium, async () => {
  const reader = await openVisitor(`${server.origin}${base}/#code=${server.newCode()}`)
  const { page, requests } = reader
  const [check] = server.checks
  await page.getByRole('link', { name: check?.name ?? '', exact: true }).click()
  await page.locator('[data-panel="runs"] tbody a').first().click()
  await page.getByRole('heading', { name: /^Run of /, level: 1 }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Badge' }).click()
  await expect.poll(() => page.url()).toBe(`${server.origin}${base}/checks/${check?.id}/badge`)
  expect(await copied(page, 'Markdown')).toContain(`${server.origin}${base}/v1/badges/checks/${check?.id}`)
  await page.reload()
  await page.getByRole('heading', { name: 'Badge' }).waitFor()
  expect(requests.filter((url) => url.startsWith(server.origin) && !url.startsWith(`${server.origin}${base}/`))).toEqual([])
  expectQuiet(reader, server.origin)
})
