import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { buildIfChanged } from './build.mjs'
import { root } from './install.mjs'
import { programPath } from './needs.mjs'

/** Takes the screenshots for README and docs, from the demo in Chromium. */
const folder = `${root}docs/images/`
const mostBytes = 150_000
const width = 1280
const waitMs = 180_000
const followMs = 15_000

const pictures = [
  { name: 'page-checks', height: 640, path: '/', shown: '.checks .day-bar[role=img]' },
  { name: 'page-check', height: 860, path: '/checks/orders-api?quickRange=last30Days', shown: '[data-panel="main"] canvas' },
  {
    name: 'page-run',
    height: 760,
    path: '/checks/gift-cards',
    follow: '[data-panel="runs"] tr.failed a',
    shown: '[data-panel="attempt-1"]',
  },
]

buildIfChanged()
const browser = await launch()
const data = mkdtempSync(join(tmpdir(), 'tidemark-pictures-'))
const demo = spawn(process.execPath, [`${root}dist/bin.cjs`, 'demo', '--data', data, '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = new Promise((resolve) => demo.once('exit', resolve))
try {
  const link = await oneTimeLink()
  const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: 'light', timezoneId: 'UTC', locale: 'en-GB' })
  page.setDefaultTimeout(waitMs)
  await page.goto(link)
  await page.getByRole('button', { name: 'Not now' }).click()
  for (const picture of pictures) await take(page, new URL(link).origin, picture)
} finally {
  await browser.close()
  demo.kill('SIGTERM')
  await ended
  rmSync(data, { recursive: true })
}

async function launch() {
  const executablePath = process.env.TIDEMARK_CHROMIUM ?? programPath('chromium-headless-shell') ?? programPath('chromium')
  if (executablePath === undefined) throw new Error('Install chromium, or set TIDEMARK_CHROMIUM to its path.')
  return chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
}

async function oneTimeLink() {
  for await (const line of createInterface({ input: demo.stdout })) {
    const [link] = /http\S+#code=\S+/.exec(line) ?? []
    if (link !== undefined) return link
  }
  throw new Error('The demo ended before it was there.')
}

async function take(page, origin, { name, height, path, follow, shown }) {
  await page.setViewportSize({ width, height })
  await openView(page, origin + path, { follow, shown })
  await page.locator('main .skeleton, main [aria-busy=true]').first().waitFor({ state: 'detached' })
  const file = `${folder}${name}.png`
  await page.screenshot({ path: file, animations: 'disabled' })
  const { size } = statSync(file)
  if (size > mostBytes) throw new Error(`${file} has ${size} bytes, more than ${mostBytes}.`)
  console.log(`${file}: ${Math.round(size / 1000)} kB`)
}

/** Opens a view, or the view behind a link in it, and reloads until `shown` is visible: live runs take a while to arrive. */
async function openView(page, url, { follow, shown }, until = Date.now() + waitMs) {
  await page.goto(url)
  if (follow !== undefined) await page.locator(follow).first().click()
  const isShown = await page
    .locator(shown)
    .first()
    .waitFor({ timeout: followMs })
    .then(
      () => true,
      () => false,
    )
  if (isShown) return
  if (Date.now() > until) throw new Error(`${url} does not show ${shown}.`)
  await openView(page, url, { follow, shown }, until)
}
