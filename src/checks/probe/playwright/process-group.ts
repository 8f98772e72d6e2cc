import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Env } from '../../../config.ts'

export type Program = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Env
  /** An environment variable that identifies every process of this run. */
  readonly mark: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly outputLimit: number
}

export type ProcessResult = {
  readonly how: 'exit' | 'timeout' | 'abort'
  readonly code: number | null
  /** Its output up to the limit. */
  readonly output: string
  readonly truncated: boolean
}

/** Runs a program in its own process group; all of its processes are killed when this settles. */
export async function runInGroup(program: Program): Promise<ProcessResult> {
  const { command, args, cwd, environment, mark, signal, timeoutMs, outputLimit } = program
  if (signal.aborted) return { how: 'abort', code: null, output: '', truncated: false }
  const env = { ...environment, TIDEMARK_RUN: mark }
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  if (child.pid === undefined) throw await failureOf(child)
  const collected = collect([child.stdout, child.stderr], outputLimit)
  const closed = once(child, 'close').catch(() => undefined)
  let how: ProcessResult['how'] = 'exit'
  const stop = (reason: ProcessResult['how']) => {
    how = reason
    killRun(child.pid, mark)
  }
  const timer = setTimeout(stop, timeoutMs, 'timeout')
  const onAbort = () => stop(isTimeout(signal.reason) ? 'timeout' : 'abort')
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    killRun(child.pid, mark)
    await Promise.race([closed, delay(500, undefined, { ref: false })])
    return { how, code, ...collected() }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** The error of a process that could not be started. Such a process has no streams either. */
async function failureOf(child: ChildProcess): Promise<unknown> {
  const [error] = await once(child, 'error')
  return error
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

function collect(streams: readonly NodeJS.ReadableStream[], limit: number): () => { output: string; truncated: boolean } {
  let output = ''
  let truncated = false
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      truncated ||= output.length + text.length > limit
      output += text.slice(0, limit - output.length)
    })
  }
  return () => ({ output, truncated })
}

/** Browsers start their own process groups, so all processes are found and stopped until no new one appears, then killed. */
function killRun(root: number | undefined, mark: string): void {
  const stopped = new Set<number>()
  for (let round = 0; round < 10; round++) {
    const fresh = runProcesses(root, mark, stopped).filter((pid) => !stopped.has(pid))
    if (fresh.length === 0) break
    for (const pid of fresh) {
      stopped.add(pid)
      send(pid, 'SIGSTOP')
    }
  }
  for (const pid of stopped) send(pid, 'SIGKILL')
  if (root !== undefined) send(-root, 'SIGKILL')
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has already ended.
  }
}

/** The marked processes (at first also `root`), those in `known`, and all their descendants. */
function runProcesses(root: number | undefined, mark: string, known: ReadonlySet<number>): readonly number[] {
  const running = processes(mark)
  const found = new Set(known)
  for (const { pid, marked } of running) if (marked || (pid === root && known.size === 0)) found.add(pid)
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const { pid, parent } of running) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}

type Process = { readonly pid: number; readonly parent: number; readonly marked: boolean }

function processes(mark: string): readonly Process[] {
  const names = read(() => readdirSync('/proc')).filter((name) => /^\d+$/.test(name))
  if (names.length === 0) return processesOfPs()
  return names.flatMap((name) => {
    const stat = read(() => [readFileSync(`/proc/${name}/stat`, 'latin1')])[0]
    if (stat === undefined) return []
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const environment = read(() => [readFileSync(`/proc/${name}/environ`, 'latin1')])[0] ?? ''
    return [{ pid: Number(name), parent, marked: environment.split('\0').includes(`TIDEMARK_RUN=${mark}`) }]
  })
}

/** Without /proc: the process tree, without marks. */
function processesOfPs(): readonly Process[] {
  const rows = read(() => execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n'))
  return rows.map((row) => row.trim().split(/\s+/)).map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent), marked: false }))
}

function read<T>(reading: () => T[]): T[] {
  try {
    return reading()
  } catch {
    return []
  }
}
