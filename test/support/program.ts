import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }
export type Started = {
  readonly url: string
  readonly pid: number
  /** What it has printed so far. */
  said(): string
  /** Ends it in good order. */
  stop(): Promise<Ended>
  /** Ends it at once, as a fault would. */
  kill(): Promise<Ended>
}
export type Surroundings = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What stands before the program on the command line, such as a limit. */
  readonly wrapper?: readonly string[]
}

/** Runs the built program to its end. */
export async function runProgram(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return follow(launch(args, surroundings)).ended
}

/** Starts the built program and waits until it says where it listens; it is ended with the test. */
export async function startProgram(args: readonly string[], surroundings: Surroundings = {}): Promise<Started> {
  const program = launch(args, surroundings)
  const { said, ended } = follow(program)
  const end = (signal: NodeJS.Signals) => {
    program.kill(signal)
    return ended
  }
  onTestFinished(async () => {
    await end('SIGTERM')
  })
  const url = await new Promise<string>((resolve, reject) => {
    program.stdout.on('data', () => {
      const found = /Tidemark listening on (\S+)\n/.exec(said())?.[1]
      if (found) resolve(found)
    })
    ended.then(({ stderr }) => reject(new Error(`It ended before it listened: ${stderr}`)), reject)
  })
  return { url, pid: program.pid ?? 0, said, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}

type Program = ChildProcessByStdio<null, Readable, Readable>

function launch(args: readonly string[], { cwd, env = {}, wrapper = [] }: Surroundings): Program {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEMARK_'))
  const [command = process.execPath, ...before] = [...wrapper, process.execPath]
  return spawn(command, [...before, main, ...args], {
    ...(cwd && { cwd }),
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function follow(program: Program): { said(): string; readonly ended: Promise<Ended> } {
  let stdout = ''
  let stderr = ''
  program.stdout.setEncoding('utf8').on('data', (piece: string) => {
    stdout += piece
  })
  program.stderr.setEncoding('utf8').on('data', (piece: string) => {
    stderr += piece
  })
  const ended = once(program, 'close').then(([status]: (number | null)[]) => ({ status: status ?? null, stdout, stderr }))
  return { said: () => stdout, ended }
}
