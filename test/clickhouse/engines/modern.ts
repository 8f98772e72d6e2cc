import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { dependencies, planHere } from './modern-plan.mjs'
import { startProcess } from './process.ts'

const host = fileURLToPath(new URL('modern-host.mjs', import.meta.url))

/** Why tests on a current ClickHouse are left out, or null where they can run. */
export function modernMissing(): string | null {
  const plan = planHere()
  if ('missing' in plan) return plan.missing
  return existsSync(`${dependencies}node_modules/chdb`) ? null : 'the current ClickHouse is installed by npm run test:clickhouse only'
}

/** A current ClickHouse: its library in a process of its own, behind the front of that process. */
export async function startModern(engineArguments: readonly string[] = []): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const plan = planHere()
  if ('missing' in plan) throw new Error(plan.missing)
  const [program = '', ...args] = plan.command
  const started = await startProcess(program, [...args, host, dependencies, temporaryFolder(), ...engineArguments], async (output) =>
    /^http:\S+$/m.test(output),
  )
  const url = /^http:\S+$/m.exec(started.output())?.[0] ?? ''
  return { url, stop: () => started.end('SIGKILL') }
}
