import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openClient } from './client.ts'
import { createScorecard, ms, timed } from './measure.ts'
import { startServer } from './server.ts'

const bars = { reloadMs: 1500, stallMs: 50, validateMs: 1000, managedMs: 1500, managedStallMs: 20, createMs: 60_000 } as const
const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-config-'))
const config = join(folder, 'tidemark.yaml')
const scorecard = createScorecard()
const key = randomBytes(24).toString('hex')
const keyText = `    keys: [{ name: writer, hash: "sha256:${createHash('sha256').update(key).digest('hex')}", scopes: [admin] }]\n`
const headers = { authorization: `Bearer ${key}`, 'x-service-account': 'acme', 'content-type': 'application/json' }
const addressOfType = '/v1/checks/url'

await measureReload(5000)
await measureCreation(10_000)
await measureManaged(5000, 5000)
measureValidate(5000, bars.validateMs)
measureValidate(50_000, Number.POSITIVE_INFINITY)
rmSync(folder, { recursive: true })
scorecard.finish()

/** Changes the file twice: at the second change, the parser thread has compiled its code. */
async function measureReload(checks: number): Promise<void> {
  writeFileSync(config, configText(checks, 'before'))
  const { server, url } = await startServer(config, join(folder, 'data'))
  await measureChange(url, { checks, last: 'first', which: 'The first change' })
  await measureChange(url, { checks, last: 'second', which: 'The second change' })
  server.kill('SIGTERM')
  await once(server, 'exit')
}

type Change = {
  readonly checks: number
  readonly last: string
  readonly which: string
  readonly more?: string
  readonly activeMs?: number
  readonly stallMs?: number
}

/** Measures how long a change takes to become active, and the slowest response in that time. */
async function measureChange(url: string, { checks, last, which, more = '', ...given }: Change): Promise<void> {
  const { activeMs = bars.reloadMs, stallMs = bars.stallMs } = given
  const client = openClient(url, {})
  const isActive = async () => (await fetch(`${url}/v1/badges/checks/check-${last}`)).ok
  let slowest = 0
  writeFileSync(config, configText(checks, last, more))
  const tookMs = await timed(async () => {
    while (!(await isActive())) slowest = Math.max(slowest, await timed(() => client.get('/health/live')))
  })
  client.close()
  const line = `${which} of a file with ${checks} checks: active after ${ms(tookMs)}, slowest response meanwhile ${ms(slowest)}`
  scorecard.report(`${line} (bars: ${ms(activeMs)}, ${ms(stallMs)})`, tookMs <= activeMs && slowest <= stallMs)
}

async function measureCreation(checks: number): Promise<void> {
  writeFileSync(config, configText(1, 'only', keyText))
  const { server, url } = await startServer(config, join(folder, 'created'))
  const { tookMs, slowest } = await stalledWhile(url, () => create(url, checks))
  scorecard.report(
    `${checks} checks added over the API: ${ms(tookMs)} (bar: ${ms(bars.createMs)}), slowest response meanwhile ${ms(slowest)}`,
    tookMs <= bars.createMs,
  )
  server.kill('SIGTERM')
  await once(server, 'exit')
}

async function create(url: string, checks: number): Promise<void> {
  let next = 0
  const writer = async () => {
    for (let index = next++; index < checks; index = next++) {
      const body = JSON.stringify({ definition: definitionOf(`managed-${index}`) })
      const answer = await fetch(`${url}${addressOfType}`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(await answer.text())
    }
  }
  await Promise.all(Array.from({ length: 20 }, writer))
}

/** Changes one of many managed checks, and then the config file, on a server with equally many checks in its file. */
async function measureManaged(ofFile: number, managed: number): Promise<void> {
  writeFileSync(config, configText(ofFile, 'before', keyText))
  const { server, url } = await startServer(config, join(folder, 'managed'))
  await create(url, managed)
  const changed = await stalledWhile(url, async () => {
    await fetch(`${url}/v1/checks/check-managed-7`, { method: 'PATCH', headers, body: '{"muted":true}' })
  })
  const settled = await stalledWhile(url, () => new Promise((resolve) => setTimeout(resolve, bars.managedMs)))
  const slowest = Math.max(changed.slowest, settled.slowest)
  scorecard.report(
    `A change over the API, of ${ofFile} checks of the file and ${managed} managed ones: active after ${ms(changed.tookMs)}, slowest response meanwhile ${ms(slowest)} (bars: ${ms(bars.managedMs)}, ${ms(bars.managedStallMs)})`,
    changed.tookMs <= bars.managedMs && slowest <= bars.managedStallMs,
  )
  const change = { checks: ofFile, more: keyText, activeMs: bars.managedMs, stallMs: bars.managedStallMs }
  await measureChange(url, { ...change, last: 'first', which: `With ${managed} managed checks, the first change` })
  await measureChange(url, { ...change, last: 'second', which: `With ${managed} managed checks, the second change` })
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** Measures how long work takes, and the slowest response in that time. */
async function stalledWhile(url: string, work: () => Promise<unknown>): Promise<{ readonly tookMs: number; readonly slowest: number }> {
  const client = openClient(url, {})
  let slowest = 0
  let isDone = false
  const working = timed(work).finally(() => {
    isDone = true
  })
  while (!isDone) slowest = Math.max(slowest, await timed(() => client.get('/health/live')))
  client.close()
  return { tookMs: await working, slowest }
}

function measureValidate(checks: number, barMs: number): void {
  writeFileSync(config, configText(checks, 'last'))
  const preload = join(folder, 'peak.cjs')
  writeFileSync(preload, `process.on('exit', () => console.error(process.resourceUsage().maxRSS))`)
  const began = performance.now()
  const args = ['--require', preload, program, 'validate', '--config', config]
  const { stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const tookMs = performance.now() - began
  const peakMb = Number(stderr.trim().split('\n').at(-1)) / 1024
  scorecard.report(
    `validate of ${checks} checks: ${ms(tookMs)}, ${peakMb.toFixed(0)} MB at its peak, status ${status}`,
    status === 0 && tookMs <= barMs,
  )
}

function configText(checks: number, last: string, more = ''): string {
  const entries = Array.from({ length: checks }, (_, n) => checkText(n === checks - 1 ? last : String(n)))
  return `rateLimit: { requests: 1000000, per: 1s }\naccounts:\n  - id: acme\n    publicBadges: true\n${more}    checks:\n${entries.join('')}`
}

function checkText(name: string): string {
  return `      - id: check-${name}
        name: Check ${name}
        type: URL
        frequency: 1m
        locations: [eu-west-1, us-east-1]
        tags: [web, shop]
        request:
          url: https://example.com/${name}
          assertions: [{ source: statusCode, comparison: equals, target: 200 }]
`
}

/** The same check as in the config file, for the API. */
function definitionOf(name: string): object {
  const assertions = [{ source: 'statusCode', comparison: 'equals', target: 200 }]
  return {
    id: `check-${name}`,
    name: `Check ${name}`,
    frequency: '1m',
    locations: ['eu-west-1', 'us-east-1'],
    tags: ['web', 'shop'],
    request: { url: `https://example.com/${name}`, assertions },
  }
}
