import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { atEnd } from './at-end.ts'

const main = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }
export type Started = {
  /** The address of the program, or the match of `ready` in its output. */
  readonly url: string
  readonly pid: number
  /** Standard output so far; `logged` is the log on standard error. */
  said(): string
  logged(): string
  /** Resolves once the program has ended for any reason. */
  readonly ended: Promise<Ended>
  stop(): Promise<Ended>
  /** Kills the program without a graceful shutdown. */
  kill(): Promise<Ended>
}
export type ProgramContext = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Overrides the built program. */
  readonly bin?: string
  /** A command prefix, for example one that sets a limit. */
  readonly wrapper?: readonly string[]
}

/** Runs the built program until it exits. */
export async function runProgram(args: readonly string[], context: ProgramContext = {}): Promise<Ended> {
  return follow(launch(args, context)).ended
}

const listening = /Tidemark listening on (\S+)\n/

/** Starts the built program and waits for its ready message. Stops it after the test, or after the file. */
export async function startProgram(args: readonly string[], context: ProgramContext = {}, ready = listening): Promise<Started> {
  const program = launch(args, context)
  const { said, logged, ended } = follow(program)
  const end = (signal: NodeJS.Signals) => {
    program.kill(signal)
    return ended
  }
  atEnd(() => end('SIGTERM'))
  const url = await new Promise<string>((resolve, reject) => {
    program.stdout.on('data', () => {
      const found = ready.exec(said())?.[1]
      if (found) resolve(found)
    })
    ended.then(({ stderr }) => reject(new Error(`It ended before it was ready: ${stderr}`)), reject)
  })
  return { url, pid: program.pid ?? 0, said, logged, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}

type Program = ChildProcessByStdio<null, Readable, Readable>

function launch(args: readonly string[], { cwd, env = {}, bin = main, wrapper = [] }: ProgramContext): Program {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEMARK_'))
  const [command = process.execPath, ...before] = [...wrapper, process.execPath]
  return spawn(command, [...before, bin, ...args], {
    ...(cwd && { cwd }),
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function follow(program: Program): { said(): string; logged(): string; readonly ended: Promise<Ended> } {
  let stdout = ''
  let stderr = ''
  program.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece
  })
  program.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
  })
  const ended = once(program, 'close').then(([status]: (number | null)[]) => ({ status: status ?? null, stdout, stderr }))
  return { said: () => stdout, logged: () => stderr, ended }
}
