import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dependencies, isEmulated, planHere } from './modern-plan.mjs'
import { startProcess } from './process.ts'

/** Emulated, a statement takes many times as long as its limit is meant for. */
const limits = isEmulated ? ['--max_execution_time=0'] : []
const host = fileURLToPath(new URL('modern-host.mjs', import.meta.url))

/** Why tests on a current ClickHouse are left out, or null where they can run. */
export function modernMissing(): string | null {
  const plan = planHere()
  if ('missing' in plan) return plan.missing
  return existsSync(`${dependencies}node_modules/chdb`) ? null : 'the current ClickHouse is installed by npm run test:clickhouse only'
}

/**
 * A current ClickHouse: its library in a process of its own, behind the front of that process. With `shards`, it has a cluster `shards` of so
 * many, all of which are this engine: what asks one of them sees a row once, and what asks three of them sees it three times.
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

/** Nothing listens on the port: an engine asks itself without a connection where a shard has its own port. */
function writeCluster(folder: string, shards: number): string {
  const port = 9000
  const shard = `<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`
  const path = join(folder, 'config.xml')
  const servers = `<remote_servers><shards>${shard.repeat(shards)}</shards></remote_servers>`
  writeFileSync(path, `<clickhouse><tcp_port>${port}</tcp_port>${servers}</clickhouse>`)
  return path
}
