import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkTypes } from '../src/checks/registry.ts'
import { livenessBeside } from './liveness.ts'
import { createScorecard, ms } from './measure.ts'
import { peakMemoryMb, startServer } from './server.ts'

const targets = 50
const barMs = 50
/** By then every check has run once. */
const warmUpMs = 15_000

const chain = `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`
const hostileBody = Buffer.from(`[${new Array(4000).fill(chain).join(',')}]`)
const type = checkTypes.find(({ settings }) => JSON.stringify(settings).includes('jsonBody'))?.type
const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))

const pem = (name: string) => readFileSync(new URL(`../test/support/certificates/test-only-localhost.${name}.pem`, import.meta.url), 'utf8')
/** Almost as long as clients accept. */
const longChain = pem('cert').repeat(200)

const bodies = createServer((_, response) => response.end(hostileBody))
const chains = createTlsServer({ key: pem('key'), cert: longChain }, (_, response) => response.end('ok'))
const assertions = [{ source: 'jsonBody', property: '$..a..a', comparison: 'notNull' }]
const bodyChecks = checksOf({ url: `http://127.0.0.1:${await portOf(bodies)}/`, assertions })
const chainChecks = checksOf({ url: `https://127.0.0.1:${await portOf(chains)}/` })
const { report, finish } = createScorecard()

for (const [name, some] of [
  ['without hostile targets', []],
  [`with ${targets} hostile bodies`, bodyChecks],
  [`with ${targets} hostile certificate chains`, chainChecks],
] as const) {
  const config = join(folder, 'tidemark.yaml')
  writeFileSync(config, JSON.stringify({ accounts: [{ id: 'bench', name: 'Bench', checks: some }] }))
  const { server, url: tidemark } = await startServer(config, join(folder, name), { runner: true })
  await sleep(some.length > 0 ? warmUpMs : 1000)
  const p99 = await livenessBeside(tidemark, () => sleep(100))
  const memory = peakMemoryMb(server).toFixed(0)
  report(`/health/live ${name}: p99 ${ms(p99)}, bar ${barMs} ms; ${memory} MB; load ${loadavg()[0]?.toFixed(1)}`, p99 < barMs)
  server.kill()
  await once(server, 'exit')
}
for (const target of [bodies, chains]) {
  target.close()
  target.closeAllConnections()
}
rmSync(folder, { recursive: true })
finish()

function checksOf(request: object) {
  return Array.from({ length: targets }, (_, i) => ({ name: `Hostile ${i}`, type, frequency: '10s', request }))
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
