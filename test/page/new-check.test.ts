// @slow ci
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copied, eventually, expectAccessible, inSteps, narrow, openReader, show, wide } from './reader.ts'
import { type PageServer, startPageServer } from './server.ts'

describe.each([wide, narrow])('a new check from a URL, at $width pixels', inSteps, (look) => {
  let server: PageServer
  let site: Server
  let page: Page
  let address: string
  beforeAll(async () => {
    site = createServer((_, response) => response.end('hello from the shop'))
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    server = await startPageServer({ days: 0, scopes: ['read', 'write'], managed: true })
    page = (await openReader(server.origin, look)).page
  })
  afterAll(async () => {
    site?.close()
    await server?.close()
  })

  const tryOut = async (text: string) => {
    await page.getByLabel('What should be checked?').fill(text)
    await page.getByRole('button', { name: 'Try it' }).click()
  }

  test('is rejected with a message for an unsupported URL', async () => {
    await page.getByRole('link', { name: 'New check' }).click()
    await tryOut('gopher://old.example')
    await eventually(() => page.getByRole('alert').textContent()).toContain('cannot be checked by address')
    await expectAccessible(page)
  })

  test('runs immediately, and shows the whole run, with YAML to copy', async () => {
    await tryOut(address)
    await eventually(() => page.locator('[data-panel="tried"]').textContent()).toContain('passed')
    expect(await page.locator('[data-panel="attempt-1"]').textContent()).toContain('hello from the shop')
    expect(await copied(page, 'For checks: in the config file, instead')).toContain(`url: ${address}/`)
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(look.width)
  })

  test('is added under its name, and listed', async () => {
    await page.getByLabel('Name').fill('The shop')
    await page.getByRole('button', { name: 'Add check' }).click()
    await eventually(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('The shop')
    await show(page, '/')
    await eventually(() => page.getByRole('link', { name: 'The shop' }).count()).toBeGreaterThan(0)
  })
})
