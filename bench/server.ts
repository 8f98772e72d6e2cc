import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts the built program without its runner, and waits for its URL. */
export async function startServer(config: string, data: string): Promise<{ server: ChildProcess; url: string }> {
  const program = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
  const args = [program, 'serve', '--no-runner', '--config', config, '--data', data, '--port', '0']
  const server = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TIDEMARK_LOG: 'warn' },
  })
  const [said] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return { server, url: String(said).trim().split(' ').at(-1) as string }
}
