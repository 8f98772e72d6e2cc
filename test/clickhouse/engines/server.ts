import { programMissing } from '../../support/needs.ts'
import { freePort } from '../../support/prometheus.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type Front, startFront } from './front.ts'
import type { OldServer } from './old-dialect.ts'
import { startProcess } from './process.ts'
import { type Ports, writeServerConfig } from './server-config.ts'

export type Server = { readonly url: string; stop(): Promise<void> }

/** Why tests that need a ClickHouse server are skipped, or null where one can be had. */
export async function serverMissing(): Promise<string | null> {
  return process.env.TIDEMARK_TEST_CLICKHOUSE_URL ? null : programMissing('clickhouse-server')
}

/**
 * The server of TIDEMARK_TEST_CLICKHOUSE_URL, or else Debian's clickhouse-server on free ports in a folder of its own, behind a front that lets
 * today's client speak to it. Tests that share a server use databases of their own.
 */
export async function startServer(): Promise<Server> {
  const given = process.env.TIDEMARK_TEST_CLICKHOUSE_URL
  if (given) return { url: given, stop: async () => {} }
  const ports = await freePorts()
  const server = await launchServer(writeServerConfig(temporaryFolder(), ports), ports)
  const front = await startOldFront(ports, 0)
  return {
    url: front.url,
    async stop() {
      await front.close()
      await server.end('SIGKILL')
    },
  }
}

export async function freePorts(): Promise<Ports> {
  const [http = 0, tcp = 0, interserver = 0] = await Promise.all([freePort(), freePort(), freePort()])
  return { http, tcp, interserver }
}

export function launchServer(config: string, { http }: Ports) {
  return startProcess('clickhouse-server', [`--config-file=${config}`], () => isUp(`http://127.0.0.1:${http}/ping`))
}

/** A front before the server on these ports, which is asked what it knows. */
export async function startOldFront({ http }: Ports, quorum: number): Promise<Front> {
  const target = `http://127.0.0.1:${http}`
  const namesOf = async (table: string) => {
    const answer = await fetch(target, { method: 'POST', body: `SELECT name FROM system.${table}` })
    return new Set((await answer.text()).trimEnd().split('\n'))
  }
  const old: OldServer = { settings: await namesOf('settings'), tableSettings: await namesOf('merge_tree_settings'), quorum }
  return startFront(target, old)
}

function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}
