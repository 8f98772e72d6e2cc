import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependencies, isEmulated, planHere } from './modern-plan.mjs'
import { startProcess } from './process.ts'

/** Under emulation, statements take many times as long as their limits allow for. */
const limits = isEmulated ? ['--max_execution_time=0'] : []
const host = fileURLToPath(new URL('modern-host.mjs', import.meta.url))

/** Why tests on a current ClickHouse are skipped; null if they can run. */
export function modernMissing(): string | null {
  const plan = planHere()
  if ('missing' in plan) return plan.missing
  return existsSync(`${dependencies}node_modules/chdb`) ? null : 'the current ClickHouse is installed by npm run test:clickhouse only'
}

/**
 * Starts a current ClickHouse: its library in a separate process, with an HTTP front. `shards` adds a cluster `shards` of that many
 * shards, each of which is this engine: a query to one shard sees a row once, a query to three sees it three times.
 */
export async function startModern(
  folder: string,
  shards = 0,
): Promise<{ readonly url: string; readonly pid: number; stop(): Promise<void> }> {
  const plan = planHere()
  if ('missing' in plan) throw new Error(plan.missing)
  const [program = '', ...args] = plan.command
  const config = shards === 0 ? [] : [`--config-file=${writeCluster(folder, shards)}`]
  const started = await startProcess(program, [...args, host, dependencies, folder, ...limits, ...config], async (output) =>
    /^http:\S+$/m.test(output),
  )
  const url = /^http:\S+$/m.exec(started.output())?.[0] ?? ''
  return { url, pid: started.pid, stop: () => started.end('SIGKILL') }
}

/** Nothing listens on this port: an engine queries itself without a connection if a shard has its own port. */
function writeCluster(folder: string, shards: number): string {
  const port = 9000
  const shard = `<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`
  const path = join(folder, 'config.xml')
  const servers = `<remote_servers><shards>${shard.repeat(shards)}</shards></remote_servers>`
  writeFileSync(path, `<clickhouse><tcp_port>${port}</tcp_port>${servers}</clickhouse>`)
  return path
}
