import { join } from 'node:path'
import { tidemark } from './command.ts'
import { type ProgramContext, type Started, startProgram } from './program.ts'

export type ServerProcess = Started & {
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  /** How long the server took to start listening. */
  readonly readyMs: number
  /** Posts rows. Throws if the response is not 200. */
  post(rows: readonly unknown[]): Promise<{ accepted: number; duplicates: number; rejected: readonly unknown[] }>
}

let keys = 0

export async function newKey(folder: string, scopes = 'read,ingest', name = `feeder ${++keys}`): Promise<string> {
  const { stdout, stderr } = await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', name, '--scopes', scopes)
  if (stdout === '') throw new Error(stderr)
  return stdout.trim()
}

type ServeOptions = ProgramContext & { readonly key?: string; readonly deadlines?: boolean }

/** A server in a separate process without a runner, with the config file and data of a folder. Deadlines are off by default. */
export async function serve(folder: string, { key: known, env, deadlines, ...rest }: ServeOptions = {}): Promise<ServerProcess> {
  const key = known ?? (await newKey(folder))
  const places = ['--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data')]
  const begun = performance.now()
  const context = { ...rest, env: { ...env, TIDEMARK_LOG: 'error' } }
  const tasks = ['--no-runner', ...(deadlines ? [] : ['--no-deadlines'])]
  const started = await startProgram(['serve', ...places, '--port', '0', ...tasks], context)
  const readyMs = performance.now() - begun
  const headers = { authorization: `Bearer ${key}`, 'x-service-account': 'acme' }
  return {
    ...started,
    key,
    headers,
    readyMs,
    async post(rows) {
      const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
      const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/x-ndjson' }, body }
      const response = await fetch(`${started.url}/v1/check-results`, sent)
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      return (await response.json()) as Awaited<ReturnType<ServerProcess['post']>>
    },
  }
}
