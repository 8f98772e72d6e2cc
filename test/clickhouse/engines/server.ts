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
  /** Of its process, where it is one of ours. */
  readonly pid?: number
  stop(): Promise<void>
}

const { TIDEMARK_TEST_CLICKHOUSE_URL: given, TIDEMARK_TEST_CLICKHOUSE_ENGINE: engine } = process.env

/** The server is not the tests' own, so that they leave nothing there. */
export const isGiven = Boolean(given)

/** The library of a current version, which answers one question at a time and cancels none; emulated, each takes seconds. */
export const isModern = !given && engine === 'modern'

/** Why tests that need a ClickHouse server are skipped, or null where one can be had. */
export async function serverMissing(): Promise<string | null> {
  if (given) return null
  return isModern ? modernMissing() : programMissing('clickhouse-server')
}

/**
 * The server of TIDEMARK_TEST_CLICKHOUSE_URL, or a current one where TIDEMARK_TEST_CLICKHOUSE_ENGINE is "modern", or else Debian's
 * clickhouse-server on free ports, behind a front that lets today's client speak to it. Those keep their data in `folder`.
 */
export async function startServer(folder = temporaryFolder()): Promise<Server> {
  if (given) return { url: given, stop: async () => {} }
  return isModern ? startModern(folder) : startOldServer(folder)
}

let shared: Promise<string> | undefined

/** The URL of a server that all test files of a worker share; each test uses databases of its own. */
export function sharedServer(): Promise<string> {
  shared ??= startShared()
  return shared
}

async function startShared(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-clickhouse-'))
  const { url, pid } = await startServer(folder)
  atWorkerEnd(() => {
    if (pid) process.kill(pid, 'SIGKILL')
    // Removing it takes longer than the runner waits for its workers.
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

/** What a front knows of the cluster around its server. */
type InCluster = Pick<Behind, 'quorum' | 'quorumWrites' | 'otherShards' | 'others' | 'shards' | 'tokens'>

const inNone = (): InCluster => ({
  quorum: 0,
  quorumWrites: createQuorumWrites(),
  otherShards: [],
  others: [],
  shards: new Map(),
  tokens: new Map(),
})

/** A front before the server at this address, which is asked what it knows. */
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
