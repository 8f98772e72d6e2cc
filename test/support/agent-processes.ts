import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DatabaseSync } from '@photostructure/sqlite'
import { stringify } from 'yaml'
import { reservePort } from '../clickhouse/engines/ports.ts'
import { tidemark } from './command.ts'
import { anyRunType, exampleCheck } from './example-config.ts'
import { type ProgramContext, type Started, startProgram } from './program.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A server of the built program on a fixed port, and agents of one location that connect to it. */
export type AgentProcesses = {
  readonly folder: string
  readonly checkIds: readonly string[]
  serve(): Promise<Started>
  agent(name: string, context?: ProgramContext): Promise<Started>
  /** Ids of the results in an agent's outbox. The agent may be running. */
  outboxed(name: string): readonly string[]
  /** Ids of all stored results. The server must not be running. */
  stored(): Promise<readonly string[]>
  /** Client addresses of all runs so far, one per run. */
  ranFrom(): readonly string[]
}

const target = 'http://127.0.0.1:8790'
const targetServer = fileURLToPath(new URL('target-server.mjs', import.meta.url))

type Options = {
  /** Address of server and target, reachable by the agents. */
  readonly host?: string
  /** Command prefix that runs server and target in the network with this address. */
  readonly wrapper?: readonly string[]
}

export async function agentProcesses(checks: number, { host = '127.0.0.1', wrapper = [] }: Options = {}): Promise<AgentProcesses> {
  const folder = temporaryFolder()
  const port = await reservePort()
  const called = await startProgram([host], { bin: targetServer, wrapper }, /listening on (\S+)\n/)
  const checkIds = Array.from({ length: checks }, (_, i) => `check-${i}`)
  const example = JSON.stringify(exampleCheck(anyRunType(1))).replaceAll(target, called.url)
  const common = { ...JSON.parse(example), frequency: '10s', locations: ['eu'] }
  const configured = checkIds.map((id) => ({ ...common, id, name: id }))
  writeFileSync(join(folder, 'tidemark.yaml'), stringify({ accounts: [{ id: 'acme', keys: [], checks: configured }] }))
  const { stdout } = await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'agents', '--scopes', 'agent:eu')
  writeFileSync(join(folder, 'agent.key'), stdout)
  const env = { TIDEMARK_LOG: 'debug' }
  return {
    folder,
    checkIds,
    serve: () =>
      startProgram(
        ['serve', '--config', join(folder, 'tidemark.yaml'), '--data', join(folder, 'data'), '--host', host, '--port', String(port)],
        { env: { TIDEMARK_LOG: 'error' }, wrapper },
      ),
    agent(name, context = {}) {
      const server = ['--server', `http://${host}:${port}`, '--key-file', join(folder, 'agent.key'), '--location', 'eu']
      return startProgram(['agent', ...server, '--data', join(folder, name)], { env, ...context }, /Tidemark agent (\S+) runs/)
    },
    outboxed(name) {
      const file = join(folder, name, 'agent.db')
      if (!existsSync(file)) return []
      const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
      try {
        return database
          .prepare('SELECT row FROM results')
          .all()
          .map(({ row }) => JSON.parse(String(row)).id)
      } finally {
        database.close()
      }
    },
    async stored() {
      const found: string[] = []
      for (const id of checkIds) {
        const { stdout: lines } = await tidemark(folder, 'export', '--check', id)
        found.push(...lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).id as string])))
      }
      return found
    },
    ranFrom: () => called.said().split('\n').slice(1, -1),
  }
}

/** Ids of the results that an agent has recorded, according to its log. */
export function recordedIn(agent: Pick<Started, 'logged'>): readonly string[] {
  return [...agent.logged().matchAll(/"resultId":"([^"]+)"/g)].map((match) => match[1] ?? '')
}
