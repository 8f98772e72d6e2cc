import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { type AddressRules, addressPolicy } from '../../src/checks/probe/net/addresses.ts'
import type { RunContext } from '../../src/checks/probe/run.ts'
import { runContext } from './run-context.ts'
import { httpServer } from './servers.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A config folder with these files. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** The URL of a loopback server that runs until the test ends. */
export async function serving(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await httpServer(listener)}`
}

/** The context of a run, with a timeout long enough to start a test runner on a busy machine. */
export function scriptContext(configDir: string, more: Partial<RunContext> & Partial<AddressRules> = {}): RunContext {
  const { allow = [], deny = [], ...context } = more
  const chromium = process.env.TIDEMARK_CHROMIUM || null
  return runContext({ timeoutMs: 60_000, admit: addressPolicy({ allow, deny }), configDir, chromium, ...context })
}

/** The running processes with this text in their environment. */
export function processesWith(text: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  return pids.filter((pid) => fileOf(pid, 'environ').includes(text) && !isZombie(pid)).map(Number)
}

function isZombie(pid: string): boolean {
  const stat = fileOf(pid, 'stat')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
}

function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
