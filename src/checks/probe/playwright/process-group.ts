import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export type Program = {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** A name that every process of this run carries in its environment, so that none is overlooked. */
  readonly mark: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly outputLimit: number
}

export type Ended = {
  readonly how: 'exit' | 'timeout' | 'abort'
  readonly code: number | null
  /** What it printed, from the start up to the limit. */
  readonly output: string
  readonly cut: boolean
}

/** Runs a program in a process group of its own; whatever it started is gone when this settles. */
export async function runInGroup(program: Program): Promise<Ended> {
  const { command, args, cwd, environment, mark, signal, timeoutMs, outputLimit } = program
  if (signal.aborted) return { how: 'abort', code: null, output: '', cut: false }
  const env = { ...environment, TIDEMARK_RUN: mark }
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed = collect([child.stdout, child.stderr], outputLimit)
  const closed = once(child, 'close').catch(() => undefined)
  let how: Ended['how'] = 'exit'
  const stop = (reason: Ended['how']) => {
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
    return { how, code, ...printed() }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError'
}

function collect(streams: readonly NodeJS.ReadableStream[], limit: number): () => { output: string; cut: boolean } {
  let output = ''
  let cut = false
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      cut ||= output.length + text.length > limit
      output += text.slice(0, limit - output.length)
    })
  }
  return () => ({ output, cut })
}

/** Browsers leave the group for one of their own, so the group alone is not enough: all are halted until no new one appears, then killed. */
function killRun(root: number | undefined, mark: string): void {
  const halted = new Set<number>()
  for (let round = 0; round < 10; round++) {
    const fresh = runProcesses(root, mark, halted).filter((pid) => !halted.has(pid))
    if (fresh.length === 0) break
    for (const pid of fresh) {
      halted.add(pid)
      send(pid, 'SIGSTOP')
    }
  }
  for (const pid of halted) send(pid, 'SIGKILL')
  if (root !== undefined) send(-root, 'SIGKILL')
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in the meantime.
  }
}

/** The processes that carry the mark, and the children of those and of the ones known already. */
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

/** Where there is no /proc: the tree without the marks. */
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
