// @slow
import type { RequestListener } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { machine, needing } from '../../../test/support/needs.ts'
import { folderWith, scriptContext, serving } from '../../../test/support/scripts.ts'
import { browser } from './index.ts'
import { run } from './run.ts'

vi.setConfig({ testTimeout: 60_000 })

const firstPage = `<!doctype html>
<body style="margin: 0">
<main style="height: 360px; background: teal"><h1>First</h1></main>
<img src="/missing.png" width="1" height="1" alt="">
<script>
  const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); }
  const painted = new PerformanceObserver((list) => {
    if (!list.getEntriesByName('first-contentful-paint').length) return
    painted.disconnect()
    setTimeout(() => { busy(300) }, 50)
    setTimeout(() => { console.error('a known console error') }, 400)
    setTimeout(() => { throw new Error('a known script error') }, 400)
    setTimeout(() => {
      document.body.insertAdjacentHTML('afterbegin', '<div style="height: 360px">Late</div>')
      setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p>ready</p>'), 200)
    }, 450)
  })
  painted.observe({ type: 'paint', buffered: true })
</script>`

const site: RequestListener = async (request, response) => {
  response.setHeader('content-type', 'text/html')
  if (request.url === '/') return response.end(firstPage)
  if (request.url !== '/second') return response.writeHead(404).end('nothing here')
  await delay(250)
  return response.end('<!doctype html><h1>Second</h1>')
}

const visit = `
import { expect, test } from '@playwright/test'
test('visit', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByText('ready')).toBeVisible()
  await page.goto('/second?token=' + process.env.TOKEN)
  await page.goto('/second')
  await expect(page.getByRole('heading')).toHaveText(process.env.HEADING)
})`

describe('with Chromium', needing((await browser.selfTest?.(machine)) ?? null), () => {
  test('every page is reported with its web vitals, and errors are counted by kind', async () => {
    const url = await serving(site)
    const environment = { TOKEN: 'open sesame', HEADING: 'Second' }
    const settings = { url, script: 'visit.ts', environment }
    const secrets = browser.secrets?.(settings) ?? []
    const measured = await run(settings, scriptContext(await folderWith({ 'visit.ts': visit }), { secrets }))
    expect(measured).toMatchObject({
      failure: null,
      broken: false,
      metrics: { responseTime: expect.any(Number), consoleErrors: 1, networkErrors: 1, userScriptErrors: 1, documentErrors: 1 },
    })
    expect(measured.pages?.map(({ pageUrl }) => pageUrl)).toEqual([`${url}/`, `${url}/second?token=•••`, `${url}/second`])
    const [first, , last] = measured.pages ?? []
    expect(first?.CLS).toBeCloseTo(360 / 1280, 2)
    expect(first?.TBT).toBeGreaterThanOrEqual(240)
    expect(first?.LCP).toBeGreaterThanOrEqual(first?.FCP ?? Number.POSITIVE_INFINITY)
    expect(last?.TTFB).toBeGreaterThanOrEqual(240)
    expect(last).toMatchObject({ FCP: expect.any(Number), LCP: expect.any(Number), CLS: 0, TBT: expect.any(Number) })
    expect(JSON.stringify(measured)).not.toContain('sesame')
  })

  test('a script with a failed expectation fails with the reason and still reports its pages', async () => {
    const url = await serving(site)
    const script = visit.replace('toHaveText(', 'toHaveText(/Third/, { timeout: 100 }); (')
    const measured = await run({ url, script: 'visit.ts' }, scriptContext(await folderWith({ 'visit.ts': script })))
    expect(measured.failure).toMatch(/toHaveText/)
    expect(measured.broken).toBe(false)
    expect(measured.pages).toHaveLength(3)
    expect(measured.screenshot, 'which may have no bytes').toBeNull()
  })

  test('a browser cannot reach denied addresses', async () => {
    let asked = 0
    const url = await serving((_, response) => response.end(String(asked++)))
    const { failure, broken } = await run({ url }, scriptContext('/', { deny: ['127.0.0.0/8'] }))
    expect(failure).toContain('the address 127.0.0.1 is not allowed for checks')
    expect(broken).toBe(true)
    expect(asked).toBe(0)
  })
})

test('the self-test reports a missing browser, or one that does not start', async () => {
  const lacking = (chromium: string) => browser.selfTest?.({ chromium, env: process.env })
  expect(await lacking('/nowhere/chromium')).toBe('TIDEMARK_CHROMIUM is not an executable file')
  expect(await lacking('/bin/false')).toMatch(/^\/bin\/false does not start: /)
  expect(await lacking('/bin/true')).toBe('/bin/true does not start: it exited immediately')
})

test('a missing browser is reported in the result', async () => {
  const measured = await run({ url: 'http://127.0.0.1/' }, scriptContext('/', { chromium: '/nowhere/chromium' }))
  expect(measured).toMatchObject({
    failure: 'TIDEMARK_CHROMIUM is not an executable file',
    broken: true,
    pages: [],
    metrics: { responseTime: null, consoleErrors: null },
  })
})

test('a browser that does not start is reported as the failure', async () => {
  const { failure, broken } = await run({ url: 'http://127.0.0.1/' }, scriptContext('/', { chromium: '/bin/false' }))
  expect(failure).toMatch(/^browserType\.launch: /)
  expect(broken).toBe(true)
})

test('a check without url and script fails with that reason', async () => {
  expect(await run({}, scriptContext('/'))).toMatchObject({ failure: 'the check has neither a url nor a script', broken: true })
})
