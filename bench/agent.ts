import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkTypes } from '../src/checks/registry.ts'
import { createScorecard } from './measure.ts'
import { processorSeconds, startServer } from './server.ts'

/** Measures the cost of an agent: the memory of an idle one with 100 checks, and the processor time at 1,000 checks a minute. */
const idleChecks = 100
const busyChecks = 1000
const bars = { idleMb: 120, busyCores: 1 }
/** By then every check has run, so everything that first runs load is loaded. */
const warmUpMs = 75_000
const minuteMs = 60_000

const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const type = checkTypes.find(({ path }) => path.startsWith('url'))?.type
const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
const target = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
await once(target, 'listening')
const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`

const { report, finish } = createScorecard()
/** Ids of the results that the agent under test has recorded. */
const recorded = new Set<string>()

const idle = await measured(idleChecks, '10m')
report(
  `memory of an idle agent with ${idleChecks} checks: ${idle.memoryMb.toFixed(0)} MB (bar ${bars.idleMb})`,
  idle.memoryMb <= bars.idleMb,
)
const busy = await measured(busyChecks, '1m')
const figures = `${busy.cores.toFixed(2)} cores, ${busy.perMinute.toFixed(0)} results a minute, ${busy.memoryMb.toFixed(0)} MB`
report(
  `${busyChecks} checks a minute: ${figures} (bar ${bars.busyCores} core)`,
  busy.cores <= bars.busyCores && Math.abs(busy.perMinute - busyChecks) <= busyChecks * 0.01,
)
target.close()
rmSync(folder, { recursive: true, force: true })
finish()

type Measured = { readonly memoryMb: number; readonly cores: number; readonly perMinute: number }

async function measured(checks: number, frequency: string): Promise<Measured> {
  const config = join(folder, `${checks}.yaml`)
  const configured = Array.from({ length: checks }, (_, i) => ({
    name: `Check ${i}`,
    type,
    frequency,
    locations: ['eu'],
    request: { url },
  }))
  writeFileSync(config, JSON.stringify({ accounts: [{ id: 'acme', keys: [], checks: configured }] }))
  const key = createKey(config)
  const { server, url: address } = await startServer(config, join(folder, `data-${checks}`))
  const agent = startAgent(address, key, checks)
  await sleep(warmUpMs)
  const before = { seconds: processorSeconds(agent), results: recorded.size, at: performance.now() }
  await sleep(minuteMs)
  // On a busy or suspended machine, the sleep takes longer.
  const elapsedMs = performance.now() - before.at
  const cores = (processorSeconds(agent) - before.seconds) / (elapsedMs / 1000)
  const perMinute = (recorded.size - before.results) / (elapsedMs / minuteMs)
  const outcome = { memoryMb: memoryMb(agent), cores, perMinute }
  agent.kill()
  await once(agent, 'exit')
  server.kill()
  await once(server, 'exit')
  return outcome
}

function createKey(config: string): string {
  const create = ['key', 'create', '--config', config, '--account', 'acme', '--name', 'agent', '--scopes', 'agent:eu']
  const file = `${config}.key`
  writeFileSync(file, spawnSync(process.execPath, [program, ...create]).stdout)
  return file
}

function startAgent(server: string, key: string, checks: number): ChildProcess {
  const args = [program, 'agent', '--server', server, '--key-file', key, '--location', 'eu', '--data', join(folder, `agent-${checks}`)]
  const agent = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TIDEMARK_LOG: 'debug' } })
  createInterface({ input: agent.stderr }).on('line', (line) => {
    const id = /"resultId":"([^"]+)"/.exec(line)?.[1]
    if (id !== undefined) recorded.add(id)
  })
  process.once('exit', () => agent.kill())
  return agent
}

function memoryMb({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
