import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, ConsoleMessage } from 'playwright-core'
import { buildCatalogue } from '../src/catalogue/build.ts'
import { refOf } from '../src/catalogue/catalogue.ts'
import { parseConfig } from '../src/catalogue/config-file/parse.ts'
import { newKey } from '../src/catalogue/keys.ts'
import { runLocationsOf } from '../src/checks/probe/pings.ts'
import { inventResults } from '../src/cli/demo/invent.ts'
import { sha256 } from '../src/ids/sha256.ts'
import { createEmbeddedStore } from '../src/store/embedded/embedded-store.ts'
import { chromiumMissing, launchChromium } from '../test/support/chromium.ts'
import { anyRunType, exampleCheck, runTypes } from '../test/support/example-config.ts'
import { startServer } from './server.ts'

const checks = 300
/** The page size of the list. */
const rowsPerPage = 100
const days = 30
const rounds = 10
const barMs = 1200
const account = 'bench'

/** Runs in the page. Records when the first screen of rows is painted without placeholders, and when all rows are. */
const watch = `
  const soon = { priority: 'user-blocking' }
  const mark = (word) => requestAnimationFrame(() => scheduler.postTask(() => console.debug(word, performance.now()), soon))
  let full = false
  const seen = new MutationObserver(() => {
    const table = document.querySelector('.checks')
    if (table === null || table.querySelector('.skeleton, .day-bar-waiting')) return
    if (!full && table.getBoundingClientRect().bottom >= innerHeight) {
      full = true
      mark('full')
    }
    if (table.querySelectorAll('tbody tr .day-bar[role=img]').length < ${rowsPerPage}) return
    seen.disconnect()
    mark('whole')
  })
  seen.observe(document, { childList: true, subtree: true, attributes: true })
`

type View = {
  readonly wholeMs: number
  readonly insideMs: number
  readonly outsideMs: number
  readonly calls: number
  readonly bytes: number
}

const missing = await chromiumMissing()
if (missing !== null) throw new Error(missing)
console.log(`${availableParallelism()} processors, ${loadavg()[0]?.toFixed(1)} busy in the last minute`)
const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-page-'))
const { key } = newKey(randomBytes)
const config = configText()
writeFileSync(join(folder, 'tidemark.json'), config)
const data = join(folder, 'data')
console.log(`${checks} checks of ${runTypes.length} types with ${(await fill()).toLocaleString('en')} results over ${days} days`)
const { server, url } = await startServer(join(folder, 'tidemark.json'), data)
const browser = await launchChromium()
try {
  console.log(`right after the start of server and browser: ${summaryOf(await firstView(browser, '/'))}`)
  const firstMs = await measure('/')
  await measure('/?quickRange=last30Days')
  console.log(`the first view: ${firstMs.toFixed(0)} ms (under ${barMs}); that of 30 days is above`)
  process.exitCode = firstMs < barMs ? 0 : 1
} finally {
  await browser.close()
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(folder, { recursive: true })
}

/** Opens a URL once per round in a cold browser context. Returns the median of the slower of both clocks. */
async function measure(path: string): Promise<number> {
  const views: View[] = []
  for (let round = 0; round < rounds; round++) views.push(await firstView(browser, path))
  const middle = (read: (view: View) => number) => views.map(read).toSorted((a, b) => a - b)[Math.floor(rounds / 2)] as number
  const median: View = {
    ...(views[0] as View),
    wholeMs: middle((view) => view.wholeMs),
    insideMs: middle((view) => view.insideMs),
    outsideMs: middle((view) => view.outsideMs),
  }
  const slowest = Math.max(...views.map(({ outsideMs }) => outsideMs))
  console.log(`${path.padEnd(24)} median of ${rounds}: ${summaryOf(median)}; slowest ${slowest.toFixed(0)} ms`)
  return Math.max(median.insideMs, median.outsideMs)
}

/** Measures from the start of the navigation until every visible row is painted with its figures, state and bar. */
async function firstView(browser: Browser, path: string): Promise<View> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)))
  await page.addInitScript(`sessionStorage.setItem('tidemark', ${JSON.stringify(JSON.stringify({ key, account }))})`)
  await page.addInitScript(watch)
  const said = (word: string) => page.waitForEvent('console', (message) => message.text().startsWith(word))
  const [full, whole] = [said('full'), said('whole')]
  const began = performance.now()
  await page.goto(url + path, { waitUntil: 'commit' })
  const insideMs = clockOf(await full)
  const outsideMs = performance.now() - began
  const wholeMs = clockOf(await whole)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await context.close()
  return { wholeMs, insideMs, outsideMs, calls: sizes.length, bytes }
}

function clockOf(message: ConsoleMessage): number {
  return Number(message.text().split(' ')[1])
}

function summaryOf({ wholeMs, insideMs, outsideMs, calls, bytes }: View): string {
  const times = [
    `${insideMs.toFixed(0)} ms by the page's clock`,
    `${outsideMs.toFixed(0)} ms from outside`,
    `all rows of the page ${wholeMs.toFixed(0)} ms`,
  ]
  return `${times.join(', ')}, ${calls} requests, ${Math.round(bytes / 1024)} KB`
}

function configText(): string {
  const all = Array.from({ length: checks }, (_, index) => {
    const like = exampleCheck(anyRunType(index % runTypes.length))
    return { ...like, frequency: '30m', locations: ['eu-west-1', 'us-east-1', 'ap-south-1'], id: `check-${index}`, name: `Check ${index}` }
  })
  const keys = [{ name: 'bench', hash: sha256(key), scopes: ['read'] }]
  return JSON.stringify({ accounts: [{ id: account, keys, checks: all }] })
}

async function fill(): Promise<number> {
  const parsed = parseConfig(config, {})
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const store = await createEmbeddedStore({ directory: data, workers: 0 })
  const to = Date.now()
  let filled = 0
  for (const check of buildCatalogue(parsed.config, []).checks(account)) {
    for (const place of runLocationsOf(check)) {
      const results = [...inventResults(check, place, { from: to - days * 86_400_000, to }, to)]
      await store.append(results.map((result) => ({ check: refOf(check), result })))
      filled += results.length
    }
    await store.seal()
  }
  await store.close()
  return filled
}
