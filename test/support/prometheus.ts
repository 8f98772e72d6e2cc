import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { reservePort } from '../clickhouse/engines/ports.ts'
import { atEnd } from './at-end.ts'
import { temporaryFolder } from './temporary-folder.ts'

export type Sample = { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [time: number, value: string] }
export type Prometheus = {
  readonly url: string
  /** The instant vector of an expression. Throws if it does not parse. */
  query(expression: string, time?: number): Promise<readonly Sample[]>
  /** The samples of a selector in a window, with times in seconds. */
  range(
    selector: string,
    time: number,
  ): Promise<readonly { readonly metric: Sample['metric']; readonly values: readonly Sample['value'][] }[]>
}

/** Runs promtool until it exits. Rejects if it fails. */
export async function promtool(args: readonly string[], options: { readonly cwd?: string; readonly input?: string } = {}): Promise<string> {
  const running = promisify(execFile)('promtool', [...args], { ...(options.cwd && { cwd: options.cwd }), maxBuffer: 2 ** 26 })
  running.child.stdin?.end(options.input ?? '')
  const { stdout, stderr } = await running
  return stdout + stderr
}

/** Prometheus on 127.0.0.1, by default with a temporary data folder. Stopped after the test, or after the file. */
export async function startPrometheus(config: string, data = join(temporaryFolder(), 'data')): Promise<Prometheus> {
  const file = join(temporaryFolder(), 'prometheus.yml')
  writeFileSync(file, config)
  const address = `127.0.0.1:${await reservePort()}`
  const places = [`--config.file=${file}`, `--storage.tsdb.path=${data}`, `--web.listen-address=${address}`]
  const program = spawn('prometheus', [...places, '--storage.tsdb.retention.time=10y', '--log.level=error'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  atEnd(() => end(program))
  const url = `http://${address}`
  await untilReady(program, url)
  const ask = async (expression: string, time?: number) => {
    const parameters = new URLSearchParams({ query: expression, ...(time !== undefined && { time: String(time) }) })
    const answer = (await (await fetch(`${url}/api/v1/query?${parameters}`)).json()) as { error?: string; data: { result: never[] } }
    if (answer.error !== undefined) throw new Error(`${expression}: ${answer.error}`)
    return answer.data.result
  }
  return { url, query: ask, range: ask }
}

async function untilReady(program: ChildProcess, url: string): Promise<void> {
  let complaint = ''
  program.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    complaint += piece
  })
  for (;;) {
    if (program.exitCode !== null) throw new Error(`prometheus has ended: ${complaint}`)
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return
  program.kill('SIGTERM')
  await once(program, 'exit')
}
