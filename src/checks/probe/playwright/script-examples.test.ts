// @slow ci
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { expect, test, vi } from 'vitest'
import { chromiumMissing } from '../../../../test/support/chromium.ts'
import { needing } from '../../../../test/support/needs.ts'
import { folderWith, scriptContext, serving } from '../../../../test/support/scripts.ts'
import { run as runBrowser } from '../../browser/run.ts'
import { run as runMultistep } from '../../multistep/run.ts'
import { run as runPlaywright } from '../../playwright/run.ts'

vi.setConfig({ testTimeout: 60_000 })

const page = readFileSync(new URL('../../../../docs/scripts.md', import.meta.url), 'utf8')
const examples = Object.fromEntries(
  [...page.matchAll(/^```ts file=(\S+)\n(.*?)^```/gms)].map(([, name = '', source = '']) => [name, source]),
)

const shop: RequestListener = (request, response) => {
  if (request.url?.startsWith('/orders')) return response.writeHead(request.method === 'POST' ? 201 : 200).end('{"id": 7}')
  response.setHeader('content-type', 'text/html')
  return response.end(request.url === '/lamps' ? '<h1>Lamps</h1>' : '<a href="/lamps">Lamps</a>')
}

test('the browser script in the docs works', needing(await chromiumMissing()), async () => {
  const settings = { url: await serving(shop), script: 'buy.ts' }
  const { failure, pages } = await runBrowser(settings, scriptContext(await folderWith(examples)))
  expect(failure).toBeNull()
  expect(pages).toHaveLength(2)
})

test('the multistep script in the docs works', async () => {
  const settings = { script: 'order.ts', environment: { SHOP_URL: await serving(shop), SHOP_TOKEN: 'secret' } }
  expect(await runMultistep(settings, scriptContext(await folderWith(examples)))).toMatchObject({ failure: null })
})

test('the suite in the docs works and reports its web vitals', async () => {
  const config = `export default { use: { baseURL: '${await serving(shop)}' } }`
  const configDir = await folderWith({ ...examples, 'suite/playwright.config.mjs': config })
  expect(await runPlaywright({ directory: 'suite' }, scriptContext(configDir))).toMatchObject({
    failure: null,
    metrics: { TTFB: expect.any(Number), FCP: null },
  })
})
