import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Starts the built program, by default without its runner, and waits for its URL. */
export async function startServer(
  config: string,
  data: string,
  { runner = false }: { readonly runner?: boolean } = {},
): Promise<{ server: ChildProcess; url: string }> {
  const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
  const args = [program, 'serve', ...(runner ? [] : ['--no-runner']), '--config', config, '--data', data, '--port', '0']
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TIDEMARK_LOG: runner ? 'error' : 'warn' },
  })
  process.once('exit', () => server.kill())
  const [said] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { server, url: String(said).trim().split(' ').at(-1) as string }
}

export function peakMemoryMb({ pid }: ChildProcess): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
