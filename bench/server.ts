import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type ServerOptions = { readonly runner?: boolean; readonly alerts?: boolean; readonly env?: Readonly<Record<string, string>> }

/** Starts the built program, by default without the runner, and waits for its URL. */
export async function startServer(
  config: string,
  data: string,
  { runner = false, alerts = true, env = {} }: ServerOptions = {},
): Promise<{ server: ChildProcess; url: string }> {
  const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
  const args = [
    program,
    'serve',
    ...(runner ? [] : ['--no-runner']),
    ...(alerts ? [] : ['--no-alerts']),
    '--config',
    config,
    '--data',
    data,
    '--port',
    '0',
  ]
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TIDEMARK_LOG: runner ? 'error' : 'warn', ...env },
  })
  const kill = () => server.kill()
  process.once('exit', kill)
  server.once('exit', () => process.off('exit', kill))
  const ended = once(server, 'exit').then(() => {
    throw new Error('The server has ended before it listened.')
  })
  const [said] = (await Promise.race([once(server.stdout as NodeJS.ReadableStream, 'data'), ended])) as [Buffer]
  return { server, url: String(said).trim().split(' ').at(-1) as string }
}

export async function stopServer(server: ChildProcess): Promise<void> {
  server.kill('SIGTERM')
  await once(server, 'exit')
}

type Process = Pick<ChildProcess, 'pid'>

export const peakMemoryMb = (process: Process) => memoryMb(process, 'VmHWM')
export const currentMemoryMb = (process: Process) => memoryMb(process, 'VmRSS')

function memoryMb({ pid }: Process, field: 'VmHWM' | 'VmRSS'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** User and system time of a process in seconds, with a resolution of 10 ms. */
export function processorSeconds({ pid }: Process): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
