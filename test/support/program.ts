import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

export type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string }
export type Started = { readonly url: string; readonly pid: number; said(): string; stop(): Promise<Ended> }
export type Surroundings = { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> }

/** Runs the built program to its end. */
export async function runProgram(args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  return ended(launch(args, surroundings))
}

/** Starts the built program and waits until it says where it listens; it is ended with the test. */
export async function startProgram(args: readonly string[], surroundings: Surroundings = {}): Promise<Started> {
  const program = launch(args, surroundings)
  let said = ''
  const end = ended(program)
  const stop = () => {
    program.kill('SIGTERM')
    return end
  }
  onTestFinished(async () => {
    await stop()
  })
  const url = await new Promise<string>((resolve, reject) => {
    program.stdout?.on('data', (piece: string) => {
      said += piece
      const found = /Tidemark listening on (\S+)\n/.exec(said)?.[1]
      if (found) resolve(found)
    })
    end.then(({ stderr }) => reject(new Error(`It ended before it listened: ${stderr}`)), reject)
  })
  return { url, pid: program.pid ?? 0, said: () => said, stop }
}

/** A folder that goes with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function launch(args: readonly string[], { cwd, env = {} }: Surroundings): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('TIDEMARK_'))
  const program = spawn(process.execPath, [main, ...args], { ...(cwd && { cwd }), env: { ...Object.fromEntries(inherited), ...env } })
  program.stdout.setEncoding('utf8')
  program.stderr.setEncoding('utf8')
  return program
}

async function ended(program: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  program.stdout?.on('data', (piece: string) => {
    stdout += piece
  })
  program.stderr?.on('data', (piece: string) => {
    stderr += piece
  })
  const [status] = (await once(program, 'close')) as [number | null]
  return { status, stdout, stderr }
}
