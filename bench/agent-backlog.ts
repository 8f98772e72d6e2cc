import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { openOutboxDatabase } from '../src/agent/outbox-database.ts'
import { resultRow } from '../src/ingest/export.ts'
import { calm } from '../test/support/results.ts'
import { agentLocation, queryTimes, startIngestServer } from './ingest-server.ts'
import { createScorecard, median } from './measure.ts'

/**
 * Measures how long an agent takes to deliver its backlog after ten minutes without the server, at 1,000 checks a minute, and how much
 * queries slow down during the delivery.
 */
const backlog = 10_000
const awayMs = 600_000
const bars = { deliveredMs: 60_000, slowdown: 1.5 }
const aloneMs = 8000

const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tidemark-bench-'))
const { url, headers, server, agentKey } = await startIngestServer(folder)
const data = join(folder, 'agent')
const keyFile = join(folder, 'agent.key')
writeFileSync(keyFile, agentKey)
fillOutbox()

const before = await aloneQueryMs()
const began = performance.now()
const args = [program, 'agent', '--server', url, '--key-file', keyFile, '--location', agentLocation, '--data', data]
const agent = spawn(process.execPath, args, { stdio: 'ignore' })
const waiting = waitingIn(join(data, 'agent.db'))
// The start of the program is not part of the delivery.
while (waiting() === backlog) await sleep(20)
const startedMs = performance.now() - began
const during = median(await queryTimes({ url, headers }, () => waiting() > 0))
const deliveredMs = performance.now() - began
const alone = Math.max(before, await aloneQueryMs())

const { report, finish } = createScorecard()
report(
  `${backlog} results delivered after ${(deliveredMs / 1000).toFixed(1)} s, ${(startedMs / 1000).toFixed(1)} s of it to start (bar ${bars.deliveredMs / 1000})`,
  deliveredMs <= bars.deliveredMs,
)
report(
  `p99 of 30 days: ${alone.toFixed(2)} ms alone, ${during.toFixed(2)} ms during the delivery, ${(during / alone).toFixed(2)} times (bar ${bars.slowdown})`,
  during / alone < bars.slowdown,
)
for (const process of [agent, server]) {
  process.kill()
  await once(process, 'exit')
}
rmSync(folder, { recursive: true, force: true })
finish()

function fillOutbox(): void {
  mkdirSync(data)
  const outbox = openOutboxDatabase({ directory: data, limits: { maxBytes: 1e9, maxAgeMs: 86_400_000 } })
  const first = Date.now() - awayMs
  const results = Array.from({ length: backlog }, (_, i) => {
    const startedAt = first + (i * awayMs) / backlog
    const result = { ...calm, id: randomUUID(), startedAt, runLocation: agentLocation, values: {}, pages: [] }
    return { row: resultRow('posted', result), evidence: null }
  })
  outbox.put(results, Date.now())
  outbox.close()
}

async function aloneQueryMs(): Promise<number> {
  const until = performance.now() + aloneMs
  return median(await queryTimes({ url, headers }, () => performance.now() < until))
}

/** Returns how many results from before the agent's start are still in its outbox. */
function waitingIn(file: string): () => number {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const count = database.prepare('SELECT count(*) AS rows FROM results WHERE position <= ?')
  return () => (count.get(backlog) as { rows: number }).rows
}
