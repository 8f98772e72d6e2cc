import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openClient } from './client.ts'
import { createScorecard, ms, timed } from './measure.ts'
import { startServer } from './server.ts'

const bars = { reloadMs: 1000, stallMs: 50, validateMs: 1000 } as const
const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-config-'))
const config = join(folder, 'tidemark.yaml')
const scorecard = createScorecard()

await measureReload(5000)
measureValidate(5000, bars.validateMs)
measureValidate(50_000, Number.POSITIVE_INFINITY)
rmSync(folder, { recursive: true })
scorecard.finish()

/** Changes the file twice: the second time, the thread that parses it has compiled its code. */
async function measureReload(checks: number): Promise<void> {
  writeFileSync(config, configText(checks, 'before'))
  const { server, url } = await startServer(config, join(folder, 'data'))
  await measureChange(url, { checks, last: 'first', which: 'The first change' })
  await measureChange(url, { checks, last: 'second', which: 'The second change' })
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** How long a change takes to be active, and the slowest response meanwhile. */
async function measureChange(url: string, { checks, last, which }: { checks: number; last: string; which: string }): Promise<void> {
  const client = openClient(url, {})
  const isActive = async () => (await fetch(`${url}/v1/badges/checks/check-${last}`)).ok
  let slowest = 0
  writeFileSync(config, configText(checks, last))
  const tookMs = await timed(async () => {
    while (!(await isActive())) slowest = Math.max(slowest, await timed(() => client.get('/health/live')))
  })
  client.close()
  const line = `${which} of a file with ${checks} checks: active after ${ms(tookMs)}, slowest response meanwhile ${ms(slowest)}`
  scorecard.report(
    `${line} (bars: ${ms(bars.reloadMs)} and up to 500 ms until it is noticed, ${ms(bars.stallMs)})`,
    tookMs <= bars.reloadMs + 500 && slowest <= bars.stallMs,
  )
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

function configText(checks: number, last: string): string {
  const entries = Array.from({ length: checks }, (_, n) => checkText(n === checks - 1 ? last : String(n)))
  return `accounts:\n  - id: acme\n    publicBadges: true\n    checks:\n${entries.join('')}`
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
