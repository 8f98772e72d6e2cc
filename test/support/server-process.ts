import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { tidemark } from './command.ts'

const program = fileURLToPath(new URL('../../dist/bin.cjs', import.meta.url))

export type ServerProcess = {
  readonly url: string
  readonly key: string
  readonly pid: number
  /** How long it took until it said that it listens. */
  readonly readyMs: number
  readonly headers: Readonly<Record<string, string>>
  /** Sends rows; throws where the answer is not 200. */
  post(rows: readonly unknown[]): Promise<{ accepted: number; duplicates: number; rejected: readonly unknown[] }>
  /** Ends it in good order. */
  stop(): Promise<void>
  /** Ends it at once, as a fault would. */
  kill(): Promise<void>
  readonly ended: Promise<void>
  readonly errors: () => string
}

type ServeOptions = {
  /** What stands before the program on the command line, such as a limit. */
  readonly wrapper?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly key?: string
}

export async function newKey(folder: string): Promise<string> {
  return (await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'feeder', '--scopes', 'read,ingest')).stdout.trim()
}

/** A server in a process of its own, with the config file and the data of a folder. */
export async function serve(folder: string, { wrapper = [], env = {}, key: known }: ServeOptions = {}): Promise<ServerProcess> {
  const key = known ?? (await newKey(folder))
  const [command = process.execPath, ...before] = [...wrapper, process.execPath]
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data')]
  const args = [...before, program, 'serve', ...places, '--port', '0', '--no-runner', '--no-deadlines']
  const begun = performance.now()
  const child = spawn(command, args, { env: { ...process.env, ...env, TIDEMARK_LOG: 'error' }, stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (text) => {
    complaints = `${complaints}${text}`.slice(-20_000)
  })
  onTestFinished(() => end(child, 'SIGKILL'))
  const url = await firstUrl(child, () => complaints)
  const headers = { authorization: `Bearer ${key}`, 'x-service-account': 'acme' }
  return {
    url,
    key,
    pid: child.pid ?? 0,
    readyMs: performance.now() - begun,
    headers,
    async post(rows) {
      const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/x-ndjson' }, body }
      const response = await fetch(`${url}/v1/check-results`, sent)
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return (await response.json()) as Awaited<ReturnType<ServerProcess['post']>>
    },
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
    ended: once(child, 'exit').then(() => {}),
    errors: () => complaints,
  }
}

async function firstUrl(child: ChildProcess, complaints: () => string): Promise<string> {
  if (!child.stdout) throw new Error('it has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^Tidemark listening on (\S+)$/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error(`the server did not start: ${complaints()}`)
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
