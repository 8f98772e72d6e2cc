// @slow ci
import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { machine, needing } from '../../../test/support/needs.ts'
import { folderWith, processesWith, scriptContext, serving } from '../../../test/support/scripts.ts'
import { browser } from './index.ts'
import { run } from './run.ts'

vi.setConfig({ testTimeout: 60_000 })

const site: RequestListener = (request, response) => {
  response.setHeader('content-type', 'text/html')
  if (request.url !== '/second') return response.writeHead(404).end('nothing here')
  return response.end('<!doctype html><h1>Second</h1>')
}

describe('with Chromium', needing((await browser.selfTest?.(machine)) ?? null), () => {
  test('a failure has a screenshot of limited size, with secrets redacted in texts and fields', async () => {
    const url = await serving((request, response) => {
      const word = decodeURIComponent(request.url?.slice(1) ?? '')
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end(`<!doctype html><h1>Hello ${word}</h1><input value="${word}"><textarea placeholder="${word}"></textarea>`)
    })
    const script = `
      import { expect, test } from '@playwright/test'
      test('greet', async ({ page }) => {
        await test.step('open the page', () => page.goto('/' + encodeURIComponent(process.env.WORD)))
        await test.step('look', () => expect(page.locator('h1')).toHaveText('nothing', { timeout: 100 }))
      })`
    const configDir = await folderWith({ 'greet.ts': script })
    const context = scriptContext(configDir, { secrets: ['open sesame'], screenshotBytes: 100_000 })
    const greet = (word: string) => run({ url, script: 'greet.ts', environment: { WORD: word } }, context)
    const [secret, hidden] = [await greet('open sesame'), await greet('•••')]
    expect(Buffer.from(secret.screenshot ?? []).toString('hex')).toMatch(/^ffd8/)
    expect(secret.screenshot?.length).toBeLessThan(100_000)
    expect(secret.screenshot).toEqual(hidden.screenshot)
    expect(secret.steps).toMatchObject([
      { title: 'open the page', error: null },
      { title: 'look', error: expect.stringContaining('toHaveText') },
    ])
  })

  test('a check with only a url opens it and connects to no other server', async () => {
    const url = await serving(site)
    const called = new Set<string>()
    const good = await run({ url: `${url}/second` }, scriptContext('/', { admit: (address) => void called.add(address) }))
    expect([...called]).toEqual(['127.0.0.1'])
    expect(good).toMatchObject({ failure: null, pages: [{ pageUrl: `${url}/second` }], metrics: { documentErrors: 0 } })
    expect(good.notes).toEqual([])
  })

  test('the browser of a script that hangs is killed with it', async () => {
    let isHanging = false
    const url = await serving((request, response) => {
      isHanging ||= request.url === '/hanging'
      site(request, response)
    })
    const hanging = `
      import { test } from '@playwright/test'
      test('hang', async ({ page }) => {
        await page.goto('/second')
        await page.goto('/hanging')
        for (;;);
      })`
    const mark = randomUUID()
    const stop = new AbortController()
    const context = scriptContext(await folderWith({ 'hang.mjs': hanging }), { signal: stop.signal })
    const running = run({ url, script: 'hang.mjs', environment: { MARK: mark } }, context)
    await expect.poll(() => isHanging, { timeout: 50_000 }).toBe(true)
    expect(processesWith(mark).length).toBeGreaterThan(3)
    stop.abort()
    expect(await running).toMatchObject({ failure: 'the run was stopped before it ended', broken: true, pages: [] })
    await expect.poll(() => processesWith(mark)).toEqual([])
  })

  test('an error status is a failure, and nothing reported of it contains the password or token of its URL', async () => {
    const address = new URL(await serving(site))
    const settings = { url: `http://me:correct%20horse@${address.host}/missing?token=open+sesame&page=2` }
    const measured = await run(settings, scriptContext('/', { secrets: browser.secrets?.(settings) ?? [] }))
    expect(measured).toMatchObject({ failure: 'status 404, expected below 400', broken: false, metrics: { documentErrors: 1 } })
    expect(measured.pages).toMatchObject([{ pageUrl: expect.stringContaining('/missing?token=•••&page=2') }])
    expect(measured.notes?.join()).toContain('/missing?token=•••&page=2 404')
    expect(JSON.stringify([measured, browser.target(settings)])).not.toMatch(/horse|sesame/)
  })
})
