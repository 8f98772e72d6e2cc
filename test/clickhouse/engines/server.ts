import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programMissing } from '../../support/needs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { atWorkerEnd } from '../../support/worker-end.ts'
import { type Behind, createQuorumWrites, type Front, startFront } from './front.ts'
import { modernMissing, startModern } from './modern.ts'
import { reservePort } from './ports.ts'
import { type Process, startProcess } from './process.ts'
import { type Ports, writeServerConfig } from './server-config.ts'

export type Server = {
  readonly url: string
  /** Process id, if we started the server. */
  readonly pid?: number
  stop(): Promise<void>
}

const { TIDEMARK_TEST_CLICKHOUSE_URL: given, TIDEMARK_TEST_CLICKHOUSE_ENGINE: engine } = process.env

/** The server was given to the tests, so they must leave nothing on it. */
export const isGiven = Boolean(given)

/** The library of a current version, which runs one query at a time and cannot cancel it; under emulation, each takes seconds. */
export const isModern = !given && engine === 'modern'

/** Why tests that need a ClickHouse server are skipped; null if there is one. */
export async function serverMissing(): Promise<string | null> {
  if (given) return null
  return isModern ? modernMissing() : programMissing('clickhouse-server')
}

/**
 * The server of TIDEMARK_TEST_CLICKHOUSE_URL, or a current one if TIDEMARK_TEST_CLICKHOUSE_ENGINE is "modern". Otherwise Debian's
 * clickhouse-server on free ports, behind a front for today's client. Servers that we start keep their data in `folder`.
 */
export async function startServer(folder = temporaryFolder()): Promise<Server> {
  if (given) return { url: given, stop: async () => {} }
  return isModern ? startModern(folder) : startOldServer(folder)
}

let shared: Promise<string> | undefined

/** The URL of a server that all test files of a worker share; each test uses its own databases. */
export function sharedServer(): Promise<string> {
  shared ??= startShared()
  return shared
}

async function startShared(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-clickhouse-'))
  const { url, pid } = await startServer(folder)
  atWorkerEnd(() => {
    if (pid) process.kill(pid, 'SIGKILL')
    // Removing the folder takes longer than the runner waits for its workers.
    spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore' }).unref()
  })
  return url
}

async function startOldServer(folder: string): Promise<Server> {
  const ports = await reservePorts()
  const address = `http://127.0.0.1:${ports.http}`
  const server = await launchServer(writeServerConfig(folder, { host: '127.0.0.1', ports, cluster: '' }), address)
  const front = await startOldFront(address)
  return {
    url: front.url,
    pid: server.pid,
    async stop() {
      await front.close()
      await server.end('SIGKILL')
    },
  }
}

export async function reservePorts(): Promise<Ports> {
  return { http: await reservePort(), tcp: await reservePort(), interserver: await reservePort() }
}

/** `wrapper` is a command that runs the server. */
export function launchServer(config: string, address: string, wrapper: readonly string[] = []): Promise<Process> {
  const [program = '', ...args] = [...wrapper, 'clickhouse-server', `--config-file=${config}`]
  return startProcess(program, args, () => isUp(`${address}/ping`))
}

/** The cluster around a front's server. */
type InCluster = Pick<Behind, 'quorum' | 'quorumWrites' | 'otherShards' | 'others' | 'shards' | 'tokens'>

const inNone = (): InCluster => ({
  quorum: 0,
  quorumWrites: createQuorumWrites(),
  otherShards: [],
  others: [],
  shards: new Map(),
  tokens: new Map(),
})

/** Starts a front for the server at this address, after querying the settings that it knows. */
export async function startOldFront(target: string, inCluster = inNone()): Promise<Front> {
  const namesOf = async (table: string) => {
    const answer = await fetch(target, { method: 'POST', body: `SELECT name FROM system.${table}` })
    return new Set((await answer.text()).trimEnd().split('\n'))
  }
  const [settings, tableSettings] = await Promise.all([namesOf('settings'), namesOf('merge_tree_settings')])
  return startFront({ target, settings, tableSettings, ...inCluster })
}

const answerMs = 5000

function isUp(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(answerMs) }).then(
    ({ ok }) => ok,
    () => false,
  )
}
