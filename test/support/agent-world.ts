import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { type Agent, type AgentOptions, startAgent } from '../../src/agent/agent.ts'
import { type AgentOutbox, openAgentOutbox } from '../../src/agent/agent-outbox.ts'
import type { OutboxLimits } from '../../src/agent/outbox-database.ts'
import { openServerConnection } from '../../src/agent/server-connection.ts'
import { createServerTime } from '../../src/agent/server-time.ts'
import { type Check, refOf, type Scope } from '../../src/catalogue/catalogue.ts'
import { buildApp } from '../../src/http/app.ts'
import { createAgentRegistry } from '../../src/locations/agent-registry.ts'
import { type RunClock, systemClock } from '../../src/runner/clock.ts'
import { createEmbeddedStore, type EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import type { Result } from '../../src/store/store.ts'
import { account, service, testCatalogue, testKey } from './catalogue.ts'
import { testProbe } from './checks.ts'
import { recordingLog } from './log.ts'
import { refusingChecks } from './refusing-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A server for agents. The test may change its checks and keys, and stop and restart it on the same port. */
export type AgentServer = {
  readonly url: () => string
  readonly checks: Check[]
  /** Scopes by the text of the key. */
  readonly keys: Map<string, readonly Scope[]>
  /** Announces changes that the test has made. */
  change(): void
  start(): Promise<void>
  /** Cuts all connections at once, like a crash. */
  stop(): Promise<void>
  readonly store: EmbeddedStore
  results(checkId: string): Promise<readonly Result[]>
  get(path: string): Promise<unknown>
}

type ServerOptions = {
  readonly checks?: readonly Check[]
  readonly clock?: Pick<RunClock, 'now'>
  readonly silentAfterMs?: number
  readonly configFile?: string
  /** Ids of checks whose results are rejected, as by an unavailable shard. */
  readonly refused?: ReadonlySet<string>
}

export const reader = 'tdm_reader00_x'

export async function agentServer({
  checks: given = [],
  clock = systemClock,
  silentAfterMs = 20_000,
  configFile = 'tidemark.yaml',
  refused = new Set(),
}: ServerOptions): Promise<AgentServer> {
  const checks = [...given]
  const keys = new Map<string, readonly Scope[]>([[reader, ['read']]])
  let current = { ...service }
  const fixed = testCatalogue({ checks, service: () => current })
  const keyList = () => [...keys].map(([text, scopes]) => testKey(text, account, scopes))
  const catalogue = { ...fixed, keyByHash: (hash: string) => keyList().find((key) => key.hash === hash) }
  const store = await createEmbeddedStore({ directory: temporaryFolder(), workers: 0, clock: clock.now })
  const log = pino({ level: 'silent' })
  let app: Awaited<ReturnType<typeof buildApp>> | null = null
  let port = 0

  async function start(): Promise<void> {
    const agents = createAgentRegistry({ catalogue, now: clock.now, log, configFile, silentAfterMs })
    app = await buildApp({ catalogue, store: { ...store, append: refusingChecks(store.append, refused) }, clock, log, agents })
    await app.listen({ host: '127.0.0.1', port })
    port = (app.server.address() as AddressInfo).port
  }

  async function stop(): Promise<void> {
    app?.server.closeAllConnections()
    await app?.close()
    app = null
  }

  await start()
  onTestFinished(async () => {
    await stop()
    await store.close()
  })
  const url = () => `http://127.0.0.1:${port}`
  return {
    url,
    checks,
    keys,
    change: () => {
      current = { ...service }
    },
    start,
    stop,
    store,
    async results(checkId) {
      const check = refOf({ account, id: checkId })
      const window = { from: 0, to: Number.MAX_SAFE_INTEGER }
      const query = { check, window, location: null, hasFailures: null, before: null, rowPage: { offset: 0, limit: 100_000 } }
      return store.results(query)
    },
    async get(path) {
      const headers = { authorization: `Bearer ${reader}`, 'x-service-account': account }
      return (await fetch(`${url()}${path}`, { headers })).json()
    },
  }
}

export type TestAgent = Agent & { readonly outbox: AgentOutbox; readonly log: ReturnType<typeof recordingLog>; readonly directory: string }

type AgentSetting = Partial<Pick<AgentOptions, 'name' | 'clock' | 'checkTypes' | 'waitSeconds' | 'graceMs' | 'flushMs'>> & {
  readonly key: string
  readonly location?: string
  readonly directory?: string
  readonly limits?: OutboxLimits
  /** Overrides the address of the server, for example with that of a proxy. */
  readonly url?: string
  /** Overrides the scripts that the server sends with those of a folder. */
  readonly ownScripts?: string
}

/** Runs an agent in this process until the test ends. */
export async function newAgent(server: Pick<AgentServer, 'url'>, setting: AgentSetting): Promise<TestAgent> {
  const {
    key,
    location = 'eu',
    directory = temporaryFolder(),
    limits,
    clock = systemClock,
    url = server.url(),
    ownScripts,
    ...more
  } = setting
  const keyFile = join(directory, 'key')
  writeFileSync(keyFile, `${key}\n`)
  const log = recordingLog()
  const serverTime = createServerTime(clock)
  const connection = await openServerConnection({
    url: new URL(url),
    keyFile,
    tls: {},
    env: {},
    monotonic: clock.monotonic,
    // The server's Date header follows the system clock, so it says nothing about a clock with another rate.
    onExchange: clock.monotonic === systemClock.monotonic ? serverTime.observe : () => {},
  })
  const outbox = await openAgentOutbox({ directory, inline: true, ...(limits && { limits }) })
  const closeRest = async () => {
    await outbox.close()
    await connection.close()
  }
  const started = await startAgent({
    location,
    name: null,
    version: '0.0.0',
    connection,
    outbox,
    serverTime,
    clock,
    log,
    probe: ownScripts === undefined ? testProbe : (attempt) => testProbe({ ...attempt, configDir: ownScripts }),
    ownScripts: ownScripts !== undefined,
    chromium: null,
    env: {},
    concurrency: { light: 100, slow: 400, heavy: 1 },
    ...more,
  }).catch(async (error: unknown) => {
    await closeRest()
    throw error
  })
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= started.close().then(closeRest)
    return closing
  }
  onTestFinished(close)
  return { ...started, close, outbox, log, directory }
}
